/** Lanes keep and count their sessions, whatever else changes about them. */
import { expect, it } from "vitest";
import { admit, aMessage, move, proven, submit } from "../../support/core/deliveries.ts";
import { aLane } from "../../support/daemon/waybill.ts";
import type { Subject } from "../store-conformance.ts";

export function lanes(subject: Subject): void {
  it("a new lane has no session and is not paused", async () => {
    const { store } = subject;
    const settings = aLane({ id: "new", team: "crew", member: "ada", agent: "build", model: "m", contract: "tool" });
    const lane = { ...settings, sessionId: null, generation: 0, pausedReason: null, teamHold: null, version: 1 };
    expect(await store.putLane(settings)).toEqual(lane);
    expect(await store.lane("new")).toEqual(lane);
    expect(await store.sessions("new")).toEqual([]);
  });

  it("lanes are listed in the order in which they were created", async () => {
    const { store } = subject;
    await store.putLane(aLane({ id: "z", createdAt: 1 }));
    await store.putLane(aLane({ id: "a", createdAt: 2 }));
    expect((await store.lanes()).map((lane) => lane.id)).toEqual(["lane", "other", "z", "a"]);
  });

  it("opening a session starts a new generation and keeps the earlier ones", async () => {
    const { store } = subject;
    await store.openSession("lane", "session-1", 100);
    const lane = await store.openSession("lane", "session-2", 200);
    expect(lane).toMatchObject({ sessionId: "session-2", generation: 2 });
    expect(await store.sessions("lane")).toEqual([
      { generation: 1, sessionId: "session-1", openedAt: 100 },
      { generation: 2, sessionId: "session-2", openedAt: 200 },
    ]);
    expect(await store.lane("other")).toMatchObject({ sessionId: null, generation: 0 });
    expect(await store.sessions("other")).toEqual([]);
  });

  it("a session belongs to one lane, which can return to an earlier session of its own", async () => {
    const { store } = subject;
    await store.openSession("lane", "session-1", 100);
    const refused = { code: "session_in_use", message: expect.stringContaining('"lane"') };
    await expect(store.openSession("other", "session-1", 200)).rejects.toMatchObject(refused);
    expect(await store.lane("other")).toMatchObject({ sessionId: null, generation: 0 });
    expect(await store.sessions("other")).toEqual([]);
    await store.openSession("lane", "session-2", 300);
    expect(await store.openSession("lane", "session-1", 400)).toMatchObject({ sessionId: "session-1", generation: 3 });
  });

  it("a removed lane keeps its session, and continues in it when it is created again", async () => {
    const { store } = subject;
    await store.openSession("lane", "session-1", 100);
    await store.removeLane("lane", 200);
    await expect(store.openSession("other", "session-1", 300)).rejects.toMatchObject({ code: "session_in_use" });
    expect(await store.putLane(aLane())).toMatchObject({ sessionId: "session-1", generation: 1 });
  });

  it("changing a lane's settings keeps its sessions, its pause and its age", async () => {
    const { store } = subject;
    await store.openSession("lane", "session-1", 100);
    await store.pauseLane("lane", "lunch");
    const lane = await store.putLane(aLane({ id: "lane", model: "another", directory: "/srv", createdAt: 999 }));
    expect(lane).toMatchObject({
      model: "another",
      directory: "/srv",
      sessionId: "session-1",
      generation: 1,
      pausedReason: "lunch",
      createdAt: 0,
    });
    expect(await store.sessions("lane")).toHaveLength(1);
  });

  it("a change affects only the given fields, even with concurrent changes", async () => {
    const { store } = subject;
    await store.openSession("lane", "session-1", 100);
    await store.pauseLane("lane", "lunch");
    const before = await store.lane("lane");
    const changes = [{ displayName: "Builds" }, { model: "large", agent: "build" }, { team: "crew", member: "ada" }];
    await Promise.all(changes.map((change) => store.changeLane("lane", change)));
    const all = { ...before, ...changes[0], ...changes[1], ...changes[2], model: null };
    const version = (before?.version ?? 0) + 4;
    expect(await store.changeLane("lane", { model: null })).toEqual({ ...all, version });
    expect(await store.lane("lane")).toEqual({ ...all, version });
    expect(await store.lane("other")).toMatchObject({ displayName: null, agent: null, team: null });
  });

  it("a change creates no missing lane, and does not recreate a removed one", async () => {
    const { store } = subject;
    await expect(store.changeLane("nowhere", { model: "m" })).rejects.toMatchObject({ code: "lane_unknown" });
    const [, late] = await Promise.allSettled([
      store.removeLane("lane", 500),
      store.changeLane("lane", { displayName: "Late" }),
    ]);
    expect(late).toMatchObject({ status: "rejected", reason: { code: "lane_unknown" } });
    expect((await store.lanes()).map(({ id }) => id)).toEqual(["other"]);
    expect(await store.putLane(aLane())).toMatchObject({ displayName: null });
  });

  it("a lane is paused with a reason and resumed without one", async () => {
    const { store } = subject;
    expect(await store.pauseLane("lane", "lunch")).toMatchObject({ pausedReason: "lunch" });
    expect(await store.lane("lane")).toMatchObject({ pausedReason: "lunch" });
    expect(await store.lane("other")).toMatchObject({ pausedReason: null });
    expect(await store.pauseLane("lane", null)).toMatchObject({ pausedReason: null });
  });

  it("an unknown lane cannot be paused or given a session", async () => {
    const { store } = subject;
    expect(await store.lane("nowhere")).toBeNull();
    await expect(store.pauseLane("nowhere", "lunch")).rejects.toMatchObject({ code: "lane_unknown" });
    await expect(store.openSession("nowhere", "session-1", 1)).rejects.toMatchObject({ code: "lane_unknown" });
    expect(await store.lane("nowhere")).toBeNull();
    expect(await store.sessions("nowhere")).toEqual([]);
  });

  it("a lane is not removed while it has an open delivery", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    expect(await store.openDeliveries("lane")).toMatchObject([{ id: record.id }]);
    expect(await store.removeLane("lane", 500)).toBe(false);
    expect(await store.lane("lane")).not.toBeNull();
  });

  it("a removed lane is unknown, takes no messages, and keeps its generations when created again", async () => {
    const { store } = subject;
    await store.openSession("lane", "session-1", 100);
    const record = await admit(store, { id: "m1" });
    await move(store, record, submit(record), proven());
    expect(await store.removeLane("lane", 500)).toBe(true);
    expect(await store.lane("lane")).toBeNull();
    expect((await store.lanes()).map((lane) => lane.id)).not.toContain("lane");
    expect(await store.delivery(record.id)).not.toBeNull();
    const late = aMessage({ id: "m2" });
    const lateRecord = { ...record, id: "late", messageId: late.id };
    await expect(
      store.admit({ message: late, payloadHash: "hash", delivery: lateRecord, choice: null }),
    ).rejects.toMatchObject({ code: "lane_unknown" });
    expect(await store.message(late.recipient, late.id)).toBeNull();
    await store.putLane(aLane());
    expect(await store.openSession("lane", "session-2", 600)).toMatchObject({ generation: 2 });
  });
}
