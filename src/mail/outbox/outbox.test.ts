import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { settled } from "../../../test/support/core/manual-clock.ts";
import { aRow, held, later, OutboxWorld } from "../../../test/support/telegram/outbox.ts";
import { backoffMs } from "./backoff.ts";

let world: OutboxWorld;
beforeEach(() => {
  world = new OutboxWorld();
});

const stateOf = async (key: string) => (await world.box.row(key))?.state;

describe("order", () => {
  test("rows of a channel are sent one after the other, in the order in which they were written", async () => {
    const { answer, release } = held();
    world.answers.set("one", [answer]);
    await world.write(aRow("one"), aRow("two"));
    await world.write(aRow("three"));
    await settled();
    expect(world.tries).toEqual(["one"]);
    release();
    await settled();
    expect(world.tries).toEqual(["one", "two", "three"]);
  });

  test("a channel does not wait for another one", async () => {
    const { answer, release } = held();
    world.answers.set("one", [answer]);
    await world.write(aRow("one", "a"), aRow("two", "b"));
    await settled();
    expect(await stateOf("two")).toBe("sent");
    release();
    await settled();
  });

  test("many channels at the same time cause no warning about a leak", async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error) => warnings.push(warning);
    process.on("warning", warned);
    onTestFinished(() => void process.off("warning", warned));
    const keys = Array.from({ length: 12 }, (_, index) => `row ${index}`);
    const outbox = world.open({
      async deliver(_row, signal) {
        signal.addEventListener("abort", () => {});
        return later();
      },
    });
    await world.box.write({ outbox: keys.map((key) => aRow(key, key)) });
    for (const key of keys) outbox.wake(key);
    await settled();
    expect(world.problems.length).toBe(12);
    expect(warnings).toEqual([]);
    await outbox.close();
  });

  test("a row that has to wait holds up the rows behind it", async () => {
    world.answers.set("one", [later(5000)]);
    await world.write(aRow("one"), aRow("two"));
    await world.clock.advance(4999);
    expect(world.tries).toEqual(["one"]);
    await world.clock.advance(1);
    expect(world.tries).toEqual(["one", "one", "two"]);
  });

  test("a row that was given up does not hold up the rows behind it", async () => {
    world.answers.set("one", [{ outcome: "failed", reason: "refused" }]);
    await world.write(aRow("one"), aRow("two"));
    await settled();
    expect([await stateOf("one"), await stateOf("two")]).toEqual(["failed", "sent"]);
    expect(world.problems).toEqual(["one failed: refused"]);
  });
});

describe("tries", () => {
  test("the pause between tries grows, and starts again with the next row", async () => {
    world.answers.set("one", [later(), later(), later()]);
    world.answers.set("two", [later()]);
    const began = world.clock.now();
    await world.write(aRow("one"), aRow("two"));
    await world.clock.until(async () => (await stateOf("two")) === "sent");
    const expected = backoffMs(1) + backoffMs(2) + backoffMs(3) + backoffMs(1);
    expect(world.clock.now() - began).toBe(expected);
    expect([backoffMs(1), backoffMs(2), backoffMs(50)]).toEqual([1000, 2000, 60_000]);
  });

  test("a call that throws is reported and tried again", async () => {
    const error = new Error("unexpected");
    world.answers.set("one", [error]);
    await world.write(aRow("one"));
    await world.clock.advance(1000);
    expect(world.errors).toEqual([error]);
    expect(world.tries).toEqual(["one", "one"]);
  });

  test("a channel that waits has one timer, and an idle one has none", async () => {
    world.answers.set("one", [later(5000)]);
    await world.write(aRow("one"));
    for (const key of ["two", "three", "four"]) await world.write(aRow(key));
    await settled();
    expect(world.clock.pending).toBe(1);
    await world.clock.advance(5000);
    expect(world.clock.pending).toBe(0);
  });

  test("retryNow immediately sends a row that waits for its next try", async () => {
    world.answers.set("one", [later(3600_000, "blocked")]);
    await world.write(aRow("one"));
    await settled();
    world.outbox.retryNow("a");
    await settled();
    expect(world.tries).toEqual(["one", "one"]);
    expect(await stateOf("one")).toBe("sent");
  });

  test("retryNow during a try that then fails causes another try", async () => {
    const { answer, release } = held();
    world.answers.set("one", [answer]);
    await world.write(aRow("one"));
    await settled();
    world.outbox.retryNow("a");
    release(later(3600_000, "blocked"));
    await settled();
    expect(world.tries).toEqual(["one", "one"]);
  });

  test("retryNow does not bring forward a row that may not be retried early", async () => {
    world.outbox = world.open({ mayRetryNow: ({ reason }) => reason !== "too_many_requests" });
    world.answers.set("one", [later(30_000, "too_many_requests")]);
    await world.write(aRow("one"));
    await settled();
    world.outbox.retryNow("a");
    await world.clock.advance(29_999);
    expect(world.tries).toEqual(["one"]);
    await world.clock.advance(1);
    expect(world.tries).toEqual(["one", "one"]);
  });
});

describe("durability", () => {
  test("a row sent in parts continues after a restart where it stopped", async () => {
    const part = (ref: string) => ({ outcome: "part" as const, ref });
    const { answer } = held();
    world.answers.set("one", [part("p1"), part("p2"), answer]);
    await world.write(aRow("one"), aRow("two"));
    await settled();
    const next = world.open();
    world.answers.clear();
    await next.start();
    await settled();
    expect(world.tries).toEqual(["one", "one+1", "one+2", "one+2", "two"]);
    expect((await world.box.row("one"))?.refs).toEqual(["p1", "p2", "one"]);
  });

  test("a new outbox sends the rows an earlier one left, including those that wait for their next try", async () => {
    world.answers.set("one", [later(3600_000, "blocked")]);
    await world.write(aRow("one"), aRow("two", "b"));
    await settled();
    await world.outbox.close();
    await world.open().start();
    await settled();
    expect(world.tries).toEqual(["one", "two", "one"]);
  });

  test("a commit that fails is repeated, and the row is not sent again", async () => {
    const { answer, release } = held();
    world.answers.set("one", [answer]);
    await world.write(aRow("one"), aRow("two"));
    await settled();
    world.failingCommits = 2;
    release();
    await world.clock.advance(1999);
    expect(await stateOf("one")).toBe("waiting");
    await world.clock.advance(1);
    expect(world.tries).toEqual(["one", "two"]);
    expect(await stateOf("one")).toBe("sent");
  });

  test("a row whose key is known is not sent a second time", async () => {
    await world.write(aRow("one"));
    await settled();
    await world.write(aRow("one"));
    await settled();
    expect(world.tries).toEqual(["one"]);
  });
});

describe("a channel with a new name", () => {
  test("a row that is moved while it is sent is not sent by the new channel as well", async () => {
    const { answer, release } = held();
    world.answers.set("one", [answer]);
    await world.write(aRow("one"), aRow("two"));
    await settled();
    await world.box.write({ moved: { from: "a", to: "b" } });
    world.outbox.wake("b");
    await settled();
    expect(world.tries).toEqual(["one"]);
    release();
    await settled();
    expect(world.tries).toEqual(["one", "two"]);
  });

  test("rows of a channel that the other side has moved go to the new channel, in order", async () => {
    const moves = async () => {
      await world.box.write({ moved: { from: "a", to: "b" } });
      return { outcome: "moved" as const, to: "b" };
    };
    world.outbox = world.open({
      deliver: async ({ key, channel }) => {
        world.tries.push(`${key} to ${channel}`);
        return channel === "a" ? moves() : { outcome: "sent", ref: null };
      },
    });
    await world.write(aRow("one"), aRow("two"));
    await settled();
    expect(world.tries).toEqual(["one to a", "one to b", "two to b"]);
    expect(await stateOf("two")).toBe("sent");
  });
});

describe("previews", () => {
  const preview = (name: string, text = name) =>
    world.outbox.preview("a", name, async () => {
      world.tries.push(`preview ${text}`);
    });

  test("a preview that immediately asks for the next one does not starve everything else", async () => {
    let isOver = false;
    const again = async () => {
      if (!isOver) world.outbox.preview("a", "draft", again);
    };
    world.outbox.preview("a", "draft", again);
    // Fires only when the event loop turns.
    await new Promise((resolve) => setTimeout(resolve, 1));
    isOver = true;
    await world.write(aRow("one"));
    await settled();
    expect(await stateOf("one")).toBe("sent");
  });

  test("a preview waits for the rows that are due", async () => {
    const { answer, release } = held();
    world.answers.set("one", [answer]);
    await world.write(aRow("one"), aRow("two"));
    await settled();
    preview("draft", "old");
    preview("draft", "new");
    await settled();
    expect(world.tries).toEqual(["one"]);
    release();
    await settled();
    expect(world.tries).toEqual(["one", "two", "preview new"]);
  });

  test("a preview is not shown while a row waits for its next try", async () => {
    world.answers.set("one", [later(5000)]);
    await world.write(aRow("one"));
    await settled();
    preview("draft");
    await world.clock.advance(4999);
    expect(world.tries).toEqual(["one"]);
    await world.clock.advance(1);
    expect(world.tries).toEqual(["one", "one", "preview draft"]);
  });

  test("a preview that was dropped is not shown, and one that fails harms no row", async () => {
    const { answer, release } = held();
    world.answers.set("one", [answer]);
    await world.write(aRow("one"));
    await settled();
    preview("draft");
    world.outbox.dropPreview("a", "draft");
    const error = new Error("no preview");
    world.outbox.preview("a", "broken", () => Promise.reject(error));
    release();
    await settled();
    await world.write(aRow("two"));
    await settled();
    expect(world.tries).toEqual(["one", "two"]);
    expect(world.errors).toEqual([error]);
  });
});

describe("close", () => {
  test("a running call may finish, and its result is kept", async () => {
    const { answer, release } = held();
    world.answers.set("one", [answer]);
    await world.write(aRow("one"), aRow("two"));
    await settled();
    const closed = world.outbox.close();
    release();
    await closed;
    expect([await stateOf("one"), await stateOf("two")]).toEqual(["sent", "waiting"]);
    expect(world.clock.pending).toBe(0);
  });

  test("a call that does not finish is aborted, and the next outbox tries it again without a pause", async () => {
    world.outbox = world.open({
      deliver: ({ key }, signal) =>
        new Promise((resolve) => {
          world.tries.push(key);
          signal.addEventListener("abort", () => resolve(later(null, "aborted")));
        }),
    });
    await world.write(aRow("one"));
    await settled();
    const closed = world.outbox.close();
    await world.clock.advance(3000);
    await closed;
    expect(await world.box.row("one")).toMatchObject({ state: "waiting", attempts: 0 });
    expect(world.problems).toEqual([]);
  });

  test("nothing is sent afterwards", async () => {
    await world.outbox.close();
    await world.write(aRow("one"));
    world.outbox.retryNow("a");
    await settled();
    expect(world.tries).toEqual([]);
  });
});
