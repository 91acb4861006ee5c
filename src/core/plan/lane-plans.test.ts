/** Tests what plans decide from facts. The store's conformance suite shows that adapters load and save them. */
import { describe, expect, it } from "vitest";
import { someEvents } from "../../../test/support/core/events.ts";
import { aLane } from "../../../test/support/daemon/waybill.ts";
import { changedLane, planAppend, planFork, planLane, planSession, planUsage } from "./lane-plans.ts";
import { planRemoval } from "./team-plans.ts";

const lane = planLane(null, aLane());

describe("a lane", () => {
  it("keeps its state when it is created again, and gets a new version only when something changes", () => {
    const used = { ...lane, sessionId: "s1", generation: 3, pausedReason: "lunch" };
    expect(planLane(used, { ...aLane(), createdAt: 99 })).toBe(used);
    expect(planLane(used, aLane({ model: "large" }))).toEqual({ ...used, model: "large", version: 2 });
    expect(changedLane(used, { model: null })).toBe(used);
  });

  it("gets a session as its next generation, above those that a restore lost", () => {
    const facts = { id: "lane", lane, owner: null, generationFloor: 0 };
    const changed = { ...lane, sessionId: "s1", generation: 41, version: 2 };
    const plan = planSession({ ...facts, generationFloor: 40 }, { sessionId: "s1", at: 5 }, 9);
    expect(plan).toEqual({
      result: changed,
      writes: {
        lanes: [changed],
        session: { laneId: "lane", generation: 41, sessionId: "s1", openedAt: 5 },
        log: [{ type: "lane", at: 9, laneId: "lane", lane: changed }],
      },
    });
    expect(planSession({ ...facts, owner: "other" }, { sessionId: "s1", at: 5 }, 9)).toEqual({
      refused: "session_in_use",
      sessionId: "s1",
      owner: "other",
    });
  });

  it("is removed without its pause, and not while it has open deliveries", () => {
    const paused = changedLane(lane, { pausedReason: "lunch" });
    const facts = { id: "lane", lane: paused, hasOpenDeliveries: true, member: null, team: null };
    expect(planRemoval(facts, 5, 9)).toEqual({ result: false });
    expect(planRemoval({ ...facts, hasOpenDeliveries: false }, 5, 9)).toEqual({
      result: true,
      writes: {
        lanes: [{ ...paused, pausedReason: null, version: 3 }],
        removedLane: { id: "lane", at: 5 },
        log: [{ type: "lane", at: 9, laneId: "lane", lane: null }],
      },
    });
  });

  it("is forked in full, under an id that no lane ever had, into a session that no lane owns", () => {
    const usage = [{ messageId: "row-1", tokens: 3, cost: 0.5, day: "2026-01-01" }];
    const fork = { lane: aLane({ id: "copy" }), sessionId: "s2", at: 7, usage, events: [] };
    const facts = { isTaken: false, owner: null, generationFloor: 0, lastEvents: new Map() };
    const lane = expect.objectContaining({ id: "copy", sessionId: "s2", generation: 1 });
    expect(planFork(facts, fork, 100, 9)).toEqual({
      result: lane,
      writes: {
        lanes: [lane],
        session: { laneId: "copy", generation: 1, sessionId: "s2", openedAt: 7 },
        usage: { laneId: "copy", entries: usage, increases: [] },
        log: [expect.objectContaining({ type: "lane", lane })],
      },
    });
    expect(planFork({ ...facts, isTaken: true }, fork, 100, 9)).toEqual({ refused: "lane_exists", lane: "copy" });
    expect(planFork({ ...facts, owner: "other" }, fork, 100, 9)).toMatchObject({
      refused: "session_in_use",
      owner: "other",
    });
    expect(planFork({ ...facts, owner: "other" }, { ...fork, sessionId: null }, 100, 9)).toHaveProperty("writes");
  });
});

describe("events of agents", () => {
  const events = someEvents(1, 2);

  it("follow the last one of their lane without a gap", () => {
    expect(planAppend(new Map([["lane", 3]]), events, 100)).toEqual({
      refused: "events_out_of_order",
      lane: "lane",
      seq: 1,
      last: 3,
    });
    expect(planAppend(new Map(), events, 100)).toMatchObject({
      writes: { log: [{ type: "event" }, { type: "event" }] },
    });
  });

  it("let a tenth more accumulate before the oldest are removed", () => {
    const next = someEvents(111, 111);
    expect(planAppend(new Map([["lane", 110]]), next, 100)).toMatchObject({
      writes: { trims: [{ lane: "lane", last: 111, allowed: 110, keep: 100 }] },
    });
    expect(planAppend(new Map([["lane", 110]]), next, 101)).not.toHaveProperty("writes.trims");
  });
});

describe("usage", () => {
  const day = "2026-03-29";
  const entry = { messageId: "m1", day, tokens: 30, cost: 0.5 };

  it("counts each message once, and only what it has used more", () => {
    const facts = { known: new Map([["m1", { day, tokens: 20, cost: 0.5 }]]), countedFrom: "" };
    expect(planUsage(facts, "lane", [entry, entry])).toEqual({
      result: undefined,
      writes: { usage: { laneId: "lane", entries: [entry], increases: [{ day, tokens: 10, cost: 0 }] } },
    });
    expect(planUsage(facts, "lane", [{ ...entry, tokens: 20 }])).toEqual({ result: undefined });
  });
});
