/** Usage by lane and day, each message of an agent program once. */
import { expect, it } from "vitest";
import type { Subject } from "../store-conformance.ts";

const day = "2026-03-01";

export function usage(subject: Subject): void {
  it("a lane without usage has used nothing", async () => {
    expect(await subject.store.usageOf("lane", day)).toEqual({ tokens: 0, cost: 0, lifted: false });
  });

  it("usage is summed by lane and day", async () => {
    const { store } = subject;
    await store.countUsage("lane", [
      { messageId: "m1", day, tokens: 10, cost: 0.25 },
      { messageId: "m2", day, tokens: 5, cost: 0.5 },
      { messageId: "m3", day: "2026-03-02", tokens: 7, cost: 1 },
    ]);
    await store.countUsage("other", [{ messageId: "m4", day, tokens: 1, cost: 0 }]);
    expect(await store.usageOf("lane", day)).toMatchObject({ tokens: 15, cost: 0.75 });
    expect(await store.usageOf("lane", "2026-03-02")).toMatchObject({ tokens: 7, cost: 1 });
    expect(await store.usageOf("other", day)).toMatchObject({ tokens: 1, cost: 0 });
  });

  it("the same message read again counts once, with its latest usage", async () => {
    const { store } = subject;
    await store.countUsage("lane", [{ messageId: "m1", day, tokens: 10, cost: 0.25 }]);
    await store.countUsage("lane", [{ messageId: "m1", day, tokens: 10, cost: 0.25 }]);
    expect(await store.usageOf("lane", day)).toMatchObject({ tokens: 10, cost: 0.25 });
    await store.countUsage("lane", [{ messageId: "m1", day, tokens: 30, cost: 0.75 }]);
    expect(await store.usageOf("lane", day)).toMatchObject({ tokens: 30, cost: 0.75 });
  });

  it("a later reading with lower numbers takes nothing away", async () => {
    const { store } = subject;
    await store.countUsage("lane", [{ messageId: "m1", day, tokens: 30, cost: 0.75 }]);
    await store.countUsage("lane", [{ messageId: "m1", day, tokens: 30, cost: 0 }]);
    expect(await store.usageOf("lane", day)).toMatchObject({ tokens: 30, cost: 0.75 });
  });

  it("a message stays on the day on which it was first counted", async () => {
    const { store } = subject;
    await store.countUsage("lane", [{ messageId: "m1", day, tokens: 10, cost: 0 }]);
    await store.countUsage("lane", [{ messageId: "m1", day: "2026-03-02", tokens: 12, cost: 0 }]);
    expect(await store.usageOf("lane", day)).toMatchObject({ tokens: 12 });
    expect(await store.usageOf("lane", "2026-03-02")).toMatchObject({ tokens: 0 });
  });

  it("limits are lifted for one lane and one day", async () => {
    const { store } = subject;
    await store.liftLimits("lane", day);
    await store.liftLimits("lane", day);
    expect(await store.usageOf("lane", day)).toMatchObject({ lifted: true });
    expect(await store.usageOf("lane", "2026-03-02")).toMatchObject({ lifted: false });
    expect(await store.usageOf("other", day)).toMatchObject({ lifted: false });
  });

  it("usage survives a restart, and pruning only removes days that are long over", async () => {
    await subject.store.countUsage("lane", [
      { messageId: "old", day: "2026-01-01", tokens: 3, cost: 0 },
      { messageId: "m1", day, tokens: 10, cost: 0.5 },
    ]);
    await subject.store.liftLimits("lane", day);
    await subject.reopen();
    const before = Date.parse("2026-03-01T12:00:00Z");
    await subject.store.prune({ responded: before, failed: before, log: before, events: before, stats: 0 });
    expect(await subject.store.usageOf("lane", day)).toEqual({ tokens: 10, cost: 0.5, lifted: true });
    expect(await subject.store.usageOf("lane", "2026-01-01")).toMatchObject({ tokens: 0 });
  });
}
