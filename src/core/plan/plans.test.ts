/** Tests what plans decide from facts. The store's conformance suite shows that adapters load and save them. */
import { describe, expect, it } from "vitest";
import { aMessage, aRecord, submitEvent } from "../../../test/support/core/records.ts";
import { aLane } from "../../../test/support/daemon/waybill.ts";
import { defaultPolicy } from "../delivery/policy.ts";
import { newDelivery } from "../delivery/record.ts";
import type { AdmissionFacts, AdmissionRequest } from "./plans.ts";
import {
  changedLane,
  planAdmission,
  planEvents,
  planFork,
  planLane,
  planRebuild,
  planRemoval,
  planSession,
} from "./plans.ts";

const lane = planLane(null, aLane());
const message = aMessage();
const delivery = newDelivery(message, "hash", lane, defaultPolicy, 0);
const request: AdmissionRequest = { message, payloadHash: "hash", delivery, choice: null };
const facts: AdmissionFacts = { known: null, lane, isUsed: false, exchange: null };

describe("an admission", () => {
  it("writes the message, its delivery and the first event of its audit", () => {
    expect(planAdmission(facts, request)).toEqual({
      result: { outcome: "admitted", message, delivery },
      writes: {
        exchangesEnded: "lane",
        messages: [{ message, payloadHash: "hash" }],
        delivery,
        events: [{ type: "admitted", at: delivery.createdAt, record: delivery }],
      },
    });
  });

  it("for a person writes the message alone, and needs no lane", () => {
    const plan = planAdmission({ ...facts, lane: null }, { ...request, delivery: null });
    expect(plan).toMatchObject({ result: { outcome: "admitted", delivery: null } });
    expect(plan).toHaveProperty("writes", { messages: [{ message, payloadHash: "hash" }] });
  });

  it("of a known message writes nothing, whatever lane settings it brings", () => {
    const known = { message, payloadHash: "hash", delivery };
    const choice = { laneVersion: 99, wasUsed: true, change: { model: "large" } };
    expect(planAdmission({ ...facts, known }, { ...request, choice })).toEqual({
      result: { outcome: "known", message, delivery },
    });
  });

  it("with a known id and a different body is a conflict", () => {
    const known = { message, payloadHash: "another", delivery };
    expect(planAdmission({ ...facts, known }, request)).toEqual({ result: { outcome: "conflict" } });
  });

  it("is refused when its lane was removed", () => {
    expect(planAdmission({ ...facts, lane: null }, request)).toEqual({ refused: "lane_unknown" });
  });

  it("applies a lane choice only if the lane has not changed since it was read", () => {
    const choice = { laneVersion: lane.version, wasUsed: false, change: { model: "large" } };
    const chosen = { ...request, choice };
    expect(planAdmission(facts, chosen)).toHaveProperty("writes.lane", { ...lane, model: "large", version: 2 });
    const changed = { result: { outcome: "lane_changed" } };
    expect(planAdmission({ ...facts, lane: { ...lane, version: 2 } }, chosen)).toEqual(changed);
    expect(planAdmission({ ...facts, isUsed: true }, chosen)).toEqual(changed);
  });
});

describe("events of a delivery", () => {
  const record = aRecord();
  const submitted = submitEvent(1, 5);

  it("are written with the changed record and their mail", () => {
    const mail = [{ message, payloadHash: "hash" }];
    const plan = planEvents({ record, lane, holder: null }, [submitted], mail);
    expect(plan).toMatchObject({ result: { outcome: "applied", record: { status: "submitting" } } });
    expect(plan.writes).toMatchObject({ change: { before: record }, events: [submitted], messages: mail });
    expect(plan.writes).not.toHaveProperty("readAt");
  });

  it("are refused while another delivery holds the lane, and write nothing", () => {
    const plan = planEvents({ record, lane, holder: "another" }, [submitted], []);
    expect(plan).toEqual({ result: { outcome: "refused", reason: "lane_held_by_another_delivery", record } });
  });

  it("are refused when they send in a paused lane, or do not fit", () => {
    const paused = changedLane(lane, { pausedReason: "lunch" });
    expect(planEvents({ record, lane: paused, holder: null }, [submitted], [])).toMatchObject({
      result: { outcome: "refused", reason: "lane_paused" },
    });
    const ended = { ...record, status: "responded" as const };
    expect(planEvents({ record: ended, lane, holder: null }, [submitted], [])).toMatchObject({
      result: { outcome: "refused", reason: "submit_from_responded" },
    });
    expect(planEvents({ record: null, lane, holder: null }, [submitted], [])).toMatchObject({
      result: { outcome: "refused", reason: "delivery_unknown", record: null },
    });
  });

  it("mark the message as read when the read is committed with them", () => {
    const cancelled = {
      type: "cancelled",
      at: 7,
      by: "ada",
      reason: "gone",
      readCommitted: true,
      reconcileAt: 7,
    } as const;
    const sent = planEvents({ record, lane, holder: null }, [submitted], []).result;
    if (sent.outcome !== "applied") throw new Error(sent.reason);
    const facts = { record: sent.record, lane, holder: record.id };
    expect(planEvents(facts, [cancelled], []).writes).toMatchObject({ readAt: 7 });
  });

  it("count in the statistics only when they end it", () => {
    expect(planEvents({ record, lane, holder: null }, [submitted], []).writes).not.toHaveProperty("dayStats");
    const ended = { type: "failed_terminal", at: 7, reason: "no_answer", observed: null, reconcileAt: null } as const;
    expect(planEvents({ record, lane, holder: null }, [ended], []).writes).toMatchObject({
      dayStats: { removed: null, added: { laneId: "lane", outcome: "failed" } },
    });
  });
});

describe("a lost record", () => {
  it("is rebuilt only for an existing message without a record", () => {
    const record = aRecord();
    expect(planRebuild({ isMessageKnown: true, existing: null }, record).writes).toMatchObject({
      delivery: record,
      events: [{ type: "rebuilt" }],
    });
    expect(planRebuild({ isMessageKnown: true, existing: record }, record)).toMatchObject({
      result: { outcome: "refused", reason: "delivery_known" },
    });
    expect(planRebuild({ isMessageKnown: false, existing: null }, record)).toMatchObject({
      result: { outcome: "refused", reason: "message_unknown" },
    });
  });
});

describe("a lane", () => {
  it("keeps its state when it is created again, and gets a new version only when something changes", () => {
    const used = { ...lane, sessionId: "s1", generation: 3, pausedReason: "lunch" };
    expect(planLane(used, { ...aLane(), createdAt: 99 })).toBe(used);
    expect(planLane(used, aLane({ model: "large" }))).toEqual({ ...used, model: "large", version: 2 });
    expect(changedLane(used, { model: null })).toBe(used);
  });

  it("gets a session as its next generation, above those that a restore lost", () => {
    const plan = planSession({ lane, owner: null, generationFloor: 40 }, "s1", 5);
    expect(plan).toEqual({
      writes: {
        lane: { ...lane, sessionId: "s1", generation: 41, version: 2 },
        session: { generation: 41, sessionId: "s1", openedAt: 5 },
      },
    });
    expect(planSession({ lane, owner: "other", generationFloor: 0 }, "s1", 5)).toEqual({
      refused: "session_in_use",
      owner: "other",
    });
  });

  it("is removed without its pause, and not while it has open deliveries", () => {
    const paused = changedLane(lane, { pausedReason: "lunch" });
    expect(planRemoval(paused, true, 5)).toBeNull();
    expect(planRemoval(paused, false, 5)).toEqual({
      writes: { lane: { ...paused, pausedReason: null, version: 3 }, laneRemovedAt: 5 },
    });
  });

  it("is forked in full, under an id that no lane ever had, into a session that no lane owns", () => {
    const usage = [{ messageId: "row-1", tokens: 3, cost: 0.5, day: "2026-01-01" }];
    const fork = { lane: aLane({ id: "copy" }), sessionId: "s2", at: 7, usage, events: [] };
    const facts = { isTaken: false, owner: null, generationFloor: 0 };
    expect(planFork(facts, fork)).toEqual({
      writes: {
        lane: expect.objectContaining({ id: "copy", sessionId: "s2", generation: 1 }),
        session: { generation: 1, sessionId: "s2", openedAt: 7 },
        usage,
        agentEvents: [],
      },
    });
    expect(planFork({ ...facts, isTaken: true }, fork)).toEqual({ refused: "lane_taken" });
    expect(planFork({ ...facts, owner: "other" }, fork)).toEqual({ refused: "session_in_use", owner: "other" });
    expect(planFork({ ...facts, owner: "other" }, { ...fork, sessionId: null })).toHaveProperty("writes");
  });
});
