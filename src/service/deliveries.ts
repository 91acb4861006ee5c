/** The part of the service where messages are sent, and deliveries are looked at and intervened in. */
import { randomUUID } from "node:crypto";
import { AppError } from "../app-error.ts";
import { outlook } from "../core/delivery/outlook.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import type { Page } from "../core/log/page.ts";
import type { Choose } from "../mail/admission.ts";
import type { Applied } from "../store/port.ts";
import type { Engine } from "./engine.ts";
import type { LaneServiceOptions } from "./lanes.ts";
import { checkedChoice } from "./lanes.ts";
import { person, refuseWhileDraining } from "./person.ts";
import type { ServiceRecords } from "./records.ts";
import type { DeliveryDetail, DeliveryState, Send, SendTo, Service } from "./service.ts";

type DeliveryServiceOptions = Pick<LaneServiceOptions, "waybill" | "runtimeDescriptors" | "defaults" | "draining">;
type DeliveryService = Pick<Service, "send" | "messages" | "withdraw" | "deliveries" | "delivery" | "retry" | "cancel">;

export function deliveryService(options: DeliveryServiceOptions, records: ServiceRecords): DeliveryService {
  const { waybill, draining } = options;
  const { store, people } = waybill;
  const { stateOf, known, knownLane } = records;
  /** What was said in a lane that has been removed can still be read; a name that never was one is a mistake. */
  const refuseUnknown = async (lane: string | undefined, { items }: Page<unknown>) => {
    if (lane !== undefined && items.length === 0) await knownLane(lane);
  };
  const intervene = async (applied: Promise<Applied>, words: string): Promise<DeliveryState> =>
    stateOf(appliedOr(await applied, words));

  return {
    async send(message, choose) {
      refuseWhileDraining(draining);
      const sender = choose ? { choose: withDefaults(choose, options) } : {};
      const admitted = await waybill.send(await addressed(message, waybill), sender);
      if (!admitted.delivery) return goneBefore(admitted.message.id);
      // What was known before may have come far since.
      const record = (await store.delivery(admitted.delivery.id)) ?? admitted.delivery;
      return { ...(await stateOf(record)), known: admitted.known };
    },
    async messages(filter) {
      const page = await store.messages(filter);
      await refuseUnknown(filter.lane, page);
      return page;
    },
    async withdraw(messageId, lane) {
      const { items } = await store.deliveries({ messageId, laneId: lane, limit: 2 });
      const [record, another] = items;
      if (!record) throw messageUnknown(messageId);
      if (another) throw ambiguous(messageId);
      return intervene(people.withdraw(record.id, person), "be withdrawn: it was sent, or has ended");
    },

    async deliveries({ lane, ...filter }) {
      const page = await store.deliveries({ ...filter, laneId: lane });
      await refuseUnknown(lane, page);
      return { items: await Promise.all(page.items.map(stateOf)), next: page.next };
    },
    async delivery(id) {
      return detailOf(await stateOf(await known(id)), waybill);
    },
    async retry(id) {
      await known(id);
      return intervene(people.retry(id, person), "be retried: only what failed for good can");
    },
    async cancel(id) {
      await known(id);
      return intervene(people.cancel(id, person), "be cancelled: it has ended");
    },
  };
}

async function addressed(message: Send, waybill: Engine) {
  const { to, id, ...rest } = message;
  return { ...rest, id: id ?? randomUUID(), to: { lane: await laneFor(to, waybill) } };
}

async function laneFor(to: SendTo, { store }: Engine): Promise<string> {
  if ("lane" in to) return to.lane;
  const [team, member] = [to.team.toLowerCase(), to.member.toLowerCase()];
  const found = (await store.lanes()).find(
    (lane) => lane.team?.toLowerCase() === team && lane.member?.toLowerCase() === member,
  );
  if (found) return found.id;
  throw new AppError({
    code: "member_unknown",
    message: `There is no member "${to.member}" in a team "${to.team}".`,
    hint: "`waybill lanes` shows the team and the member that each lane belongs to.",
  });
}

/** A lane that goes over to another runtime gets what a new one of it would. */
function withDefaults(choose: Choose, options: DeliveryServiceOptions): Choose {
  return (lane, isUsed) => {
    const change = choose(lane, isUsed);
    const checked = checkedChoice({ ...lane, ...change }, options);
    return change.runtime === undefined ? change : { ...change, ...checked };
  };
}

async function detailOf(state: DeliveryState, { store, courier }: Engine): Promise<DeliveryDetail> {
  const { record, queuedBehind } = state;
  const lane = await store.lane(record.laneId);
  return {
    ...state,
    message: await store.message({ kind: "lane", lane: record.laneId }, record.messageId),
    replies: await store.writtenBack(record.messageId, record.laneId),
    history: await store.history(record.id),
    outlook: outlook({ record, lane, queuedBehind, waitReason: courier.waitReason(record.laneId) }),
  };
}

function appliedOr(applied: Applied, words: string): DeliveryRecord {
  if (applied.outcome === "applied") return applied.record;
  const { record, reason } = applied;
  throw new AppError({
    code: "not_possible",
    message: record ? `The delivery cannot ${words} (${record.status}).` : `The delivery cannot ${words} (${reason}).`,
    hint: record ? `\`waybill why ${record.messageId}\` tells what happens next.` : "Look at it again.",
  });
}

/** Its record was pruned; the message was read long ago. */
function goneBefore(messageId: string): never {
  throw new AppError({
    code: "message_conflict",
    message: `Message "${messageId}" was answered long ago, and its delivery is not kept any more.`,
    hint: "Send it under a new message id.",
  });
}

function messageUnknown(messageId: string): AppError {
  return new AppError({
    code: "message_unknown",
    message: `There is no delivery of a message "${messageId}".`,
    hint: "`waybill messages` lists what was said.",
  });
}

function ambiguous(messageId: string): AppError {
  return new AppError({
    code: "message_ambiguous",
    message: `Several lanes have a message "${messageId}".`,
    hint: "Name the lane, too.",
  });
}
