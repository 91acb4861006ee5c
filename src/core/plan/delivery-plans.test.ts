/** Tests what plans decide from facts. The store's conformance suite shows that adapters load and save them. */
import { describe, expect, it } from "vitest";
import { aMessage, aRecord, submitEvent } from "../../../test/support/core/records.ts";
import { aLane } from "../../../test/support/daemon/waybill.ts";
import { defaultPolicy } from "../delivery/policy.ts";
import { newDelivery } from "../delivery/record.ts";
import type { AdmissionFacts, AdmissionRequest, DeliveryFacts } from "./delivery-plans.ts";
import { planAdmission, planEvents, planRebuild } from "./delivery-plans.ts";
import { changedLane, planLane } from "./lane-plans.ts";

const lane = planLane(null, aLane());
const message = aMessage();
const delivery = newDelivery(message, "hash", lane, defaultPolicy, 0);
const noInboxes = { teams: new Set<string>(), lanes: [] };
const request: AdmissionRequest = { message, payloadHash: "hash", delivery, choice: null };
const facts: AdmissionFacts = { known: null, lane, isUsed: false, exchange: null, inboxes: noInboxes };

describe("an admission", () => {
  it("writes the message, its delivery and the first event of its audit", () => {
    const admitted = { type: "admitted", at: delivery.createdAt, record: delivery };
    expect(planAdmission(facts, request, 9)).toEqual({
      result: { outcome: "admitted", message, delivery },
      writes: {
        exchangesEnded: "lane",
        messages: [{ message, payloadHash: "hash", inbox: null }],
        deliveries: [delivery],
        log: [
          { type: "message", message },
          { type: "delivery", change: { record: delivery, events: [admitted], admitted: message } },
        ],
      },
    });
  });

  it("for a person writes the message alone, and needs no lane", () => {
    const plan = planAdmission({ ...facts, lane: null }, { ...request, delivery: null }, 9);
    expect(plan).toMatchObject({ result: { outcome: "admitted", delivery: null } });
    expect(plan).toHaveProperty("writes", {
      messages: [{ message, payloadHash: "hash", inbox: null }],
      log: [{ type: "message", message }],
    });
  });

  it("of a known message writes nothing, whatever lane settings it brings", () => {
    const known = { message, payloadHash: "hash", delivery };
    const choice = { laneVersion: 99, wasUsed: true, change: { model: "large" } };
    expect(planAdmission({ ...facts, known }, { ...request, choice }, 9)).toEqual({
      result: { outcome: "known", message, delivery },
    });
  });

  it("with a known id and a different body is a conflict", () => {
    const known = { message, payloadHash: "another", delivery };
    expect(planAdmission({ ...facts, known }, request, 9)).toEqual({ result: { outcome: "conflict" } });
  });

  it("is refused when its lane was removed", () => {
    expect(planAdmission({ ...facts, lane: null }, request, 9)).toEqual({ refused: "lane_unknown", lane: "lane" });
  });

  it("applies a lane choice only if the lane has not changed since it was read", () => {
    const choice = { laneVersion: lane.version, wasUsed: false, change: { model: "large" } };
    const chosen = { ...request, choice };
    expect(planAdmission(facts, chosen, 9)).toMatchObject({
      writes: {
        lanes: [{ ...lane, model: "large", version: 2 }],
        log: [{ type: "lane", at: 9 }, { type: "message" }, { type: "delivery" }],
      },
    });
    const changed = { result: { outcome: "lane_changed" } };
    expect(planAdmission({ ...facts, lane: { ...lane, version: 2 } }, chosen, 9)).toEqual(changed);
    expect(planAdmission({ ...facts, isUsed: true }, chosen, 9)).toEqual(changed);
  });
});

describe("events of a delivery", () => {
  const record = aRecord();
  const having: DeliveryFacts = { record, lane, holder: null, isStored: [], inboxes: noInboxes, dayStats: [] };
  const submitted = submitEvent(1, 5);

  it("are written with the changed record and their mail", () => {
    const mail = [{ message, payloadHash: "hash" }];
    const plan = planEvents(having, [submitted], mail);
    expect(plan).toMatchObject({ result: { outcome: "applied", record: { status: "submitting" } } });
    expect(plan.writes).toMatchObject({
      change: { before: record },
      messages: mail,
      log: [{ type: "message" }, { type: "delivery", change: { before: record, events: [submitted] } }],
    });
    expect(plan.writes).not.toHaveProperty("readAt");
  });

  it("leave mail as it is that its recipient already has, and write no mail twice", () => {
    const [stored, fresh] = [aMessage({ id: "a1" }), aMessage({ id: "a2" })];
    const mail = [stored, fresh, fresh].map((message) => ({ message, payloadHash: "hash", delivery }));
    const { writes } = planEvents({ ...having, isStored: [true, false, false] }, [submitted], mail);
    expect(writes).toMatchObject({ messages: [{ message: fresh }], deliveries: [delivery] });
    expect(writes?.log?.map(({ type }) => type)).toEqual(["message", "delivery", "delivery"]);
  });

  it("owe a row of an inbox file for mail to its team, if that has files", () => {
    const message = aMessage({ id: "a1", recipient: { kind: "member", team: "core", member: "ada" } });
    const inboxes = { teams: new Set(["core"]), lanes: [] };
    const mail = [{ message, payloadHash: "hash" }];
    const inboxOf = (facts: DeliveryFacts) => planEvents(facts, [submitted], mail).writes?.messages?.[0]?.inbox;
    expect(inboxOf({ ...having, isStored: [false], inboxes })).toEqual({ team: "core", inbox: "ada" });
    expect(inboxOf({ ...having, isStored: [false] })).toBeNull();
  });

  it("are refused while another delivery holds the lane, and write nothing", () => {
    const plan = planEvents({ ...having, holder: "another" }, [submitted], []);
    expect(plan).toEqual({ result: { outcome: "refused", reason: "lane_held_by_another_delivery", record } });
  });

  it("are refused when they send in a paused lane, or do not fit", () => {
    const paused = changedLane(lane, { pausedReason: "lunch" });
    expect(planEvents({ ...having, lane: paused }, [submitted], [])).toMatchObject({
      result: { outcome: "refused", reason: "lane_paused" },
    });
    const ended = { ...record, status: "responded" as const };
    expect(planEvents({ ...having, record: ended }, [submitted], [])).toMatchObject({
      result: { outcome: "refused", reason: "submit_from_responded" },
    });
    expect(planEvents({ ...having, record: null }, [submitted], [])).toMatchObject({
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
    const sent = planEvents(having, [submitted], []).result;
    if (sent.outcome !== "applied") throw new Error(sent.reason);
    const facts = { ...having, record: sent.record, holder: record.id };
    expect(planEvents(facts, [cancelled], []).writes).toMatchObject({ readAt: 7 });
  });

  it("count in the statistics only when they end it", () => {
    expect(planEvents(having, [submitted], []).writes).not.toHaveProperty("dayStats");
    const ended = { type: "failed_terminal", at: 7, reason: "no_answer", observed: null, reconcileAt: null } as const;
    expect(planEvents(having, [ended], []).writes).toMatchObject({
      dayStats: [{ laneId: "lane", failed: 1 }],
    });
  });
});

describe("a lost record", () => {
  it("is rebuilt only for an existing message without a record", () => {
    const record = aRecord();
    expect(planRebuild({ isMessageKnown: true, existing: null }, record).writes).toMatchObject({
      deliveries: [record],
      log: [{ type: "delivery", change: { events: [{ type: "rebuilt" }] } }],
    });
    expect(planRebuild({ isMessageKnown: true, existing: record }, record)).toMatchObject({
      result: { outcome: "refused", reason: "delivery_known" },
    });
    expect(planRebuild({ isMessageKnown: false, existing: null }, record)).toMatchObject({
      result: { outcome: "refused", reason: "message_unknown" },
    });
  });
});
