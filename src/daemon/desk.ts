/** The desk: what transports ask, carried out on a running Waybill. */
import { randomUUID } from "node:crypto";
import { AppError } from "../app-error.ts";
import { dayOf } from "../delivery/daily-limit.ts";
import type { Lane } from "../delivery/lane.ts";
import { outlook } from "../delivery/outlook.ts";
import type { DeliveryRecord } from "../delivery/record.ts";
import { followEvents } from "../events/follow-events.ts";
import type { Choose } from "../mail/admission.ts";
import type { Page } from "../page.ts";
import type { Applied } from "../store/port.ts";
import type { DeliveryDetail, DeliveryState, Desk, LaneSettings, LaneState, Send, SendTo } from "../transports/port.ts";
import { choiceOf, refuseAgentWithModel } from "./agent-or-model.ts";
import type { Waybill } from "./compose.ts";
import { followFeed } from "./follow-feed.ts";
import type { ReadinessSource } from "./readiness.ts";
import { noticesOf, readinessOf } from "./readiness.ts";
import { runtimeStates } from "./runtime-states.ts";
import { workPlace } from "./work-place.ts";

export type DeskOptions = ReadinessSource & {
  waybill: Waybill;
  /** Checks where a lane may work, and says where that really is. */
  resolveDirectory: (path: string) => string;
  allowedDirectories: readonly string[];
  /** Where Waybill keeps its state, under all of the names that the place has. */
  stateDirectories: readonly string[];
  defaults: { runtime: string; model: string | null };
  restart: () => void;
  now: () => number;
  /** Whether new messages are turned away because this process is about to end. */
  draining: () => boolean;
};

/** The name under which the API intervenes: whoever has its token is the person whose daemon this is. */
const person = "user";

export function makeDesk(options: DeskOptions): Desk {
  const { waybill, now } = options;
  const { store, people } = waybill;

  const stateOf = async (record: DeliveryRecord): Promise<DeliveryState> => {
    if (record.status !== "pending") return { record, queuedBehind: null };
    const ahead = (await store.outstanding(record.laneId)) ?? (await store.head(record.laneId));
    return { record, queuedBehind: ahead && ahead.id !== record.id ? ahead.messageId : null };
  };
  const known = async (id: string): Promise<DeliveryRecord> => {
    const record = await store.delivery(id);
    if (record) return record;
    throw new AppError({
      code: "delivery_unknown",
      message: `There is no delivery "${id}".`,
      hint: "`waybill deliveries` lists them; those that ended well are removed after some days.",
    });
  };
  const knownLane = async (id: string): Promise<Lane> => {
    const lane = await store.lane(id);
    if (lane) return lane;
    throw new AppError({ code: "lane_unknown", message: `There is no lane "${id}".`, hint: await knownLanes(waybill) });
  };
  /** What was said in a lane that has been removed can still be read; a name that never was one is a mistake. */
  const refuseUnknown = async (lane: string | undefined, { items }: Page<unknown>) => {
    if (lane !== undefined && items.length === 0) await knownLane(lane);
  };
  /** Likewise for a lane that has been removed, and whose agent was heard of. */
  const refuseUnheard = async (lane: string) => {
    if ((await store.lastEventSeq(lane)) === 0) await knownLane(lane);
  };
  const laneState = async (lane: Lane): Promise<LaneState> => ({
    lane,
    runtimeReady: waybill.runtimes.has(lane.runtime),
    holder: await store.outstanding(lane.id),
    waiting: await store.waiting(lane.id),
    waitReason: waybill.courier.waitReason(lane.id),
    notices: noticesOf(waybill, lane.runtime, lane),
    usage: await store.usageOf(lane.id, dayOf(now())),
  });
  const changedLane = async (id: string, change: () => Promise<unknown>): Promise<LaneState> => {
    await knownLane(id);
    await change();
    return laneState(await knownLane(id));
  };
  const intervene = async (applied: Promise<Applied>, words: string): Promise<DeliveryState> =>
    stateOf(appliedOr(await applied, words));

  return {
    async send(message, choose) {
      if (options.draining()) throw draining();
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

    lanes: async () => Promise.all((await store.lanes()).map(laneState)),
    lane: async (id) => laneState(await knownLane(id)),
    putLane: async (settings) => laneState(await store.putLane(await newLane(settings, options))),
    renameLane: (id, displayName) => changedLane(id, () => store.changeLane(id, { displayName })),
    async removeLane(id, force) {
      await knownLane(id);
      await people.removeLane(id, person, force);
    },
    abort: (id) => changedLane(id, () => people.stop(id, person)),
    pause: (id, reason) => changedLane(id, () => people.pause(id, reason)),
    resume: (id) => changedLane(id, () => people.resume(id)),
    adoptSession: (id, sessionId) => changedLane(id, () => people.adopt(id, sessionId)),
    async fork(id, before, as) {
      if (options.draining()) throw draining();
      const { pausedReason: _, sessionId: __, generation: ___, ...lane } = await knownLane(id);
      const directory = options.resolveDirectory(lane.directory);
      // A member of a team is one lane.
      const made = { ...lane, ...as, team: null, member: null, directory, createdAt: now() };
      return laneState(await people.fork(id, before, made));
    },
    release: (id) => changedLane(id, () => people.release(id, person)),

    asks: async () => waybill.asks.list(),
    answer: (askId, { decision, answers }) => people.answer(askId, answers ? { decision, answers } : { decision }),

    follow: (wanted) => followFeed(store, wanted),
    feed: (after, limit) => store.feed(after, limit),
    async checkCursor(cursor) {
      await store.feed(cursor, 1);
    },
    now: () => store.feedEnd(),
    async events(filter) {
      const page = await store.events(filter);
      if (filter.lane !== undefined && page.events.length === 0) await refuseUnheard(filter.lane);
      return page;
    },
    followEvents: (wanted) => followEvents(waybill, wanted),
    eventsEnd: async () => waybill.recorder.newest,
    eventsBefore: (laneId, seq, limit) => store.eventsBefore(laneId, seq, limit),
    runtimes: (directory) => runtimeStates(waybill, options.defaults, directory),
    workPlace: async (directory) => workPlace(directory, { ...options, lanes: await store.lanes() }),
    readiness: () => readinessOf(waybill, options, now()),
    counts: () => store.counts(),
    restart: options.restart,
  };
}

async function addressed(message: Send, waybill: Waybill) {
  const { to, id, ...rest } = message;
  return { ...rest, id: id ?? randomUUID(), to: { lane: await laneFor(to, waybill) } };
}

async function laneFor(to: SendTo, { store }: Waybill): Promise<string> {
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

async function detailOf(state: DeliveryState, { store, courier }: Waybill): Promise<DeliveryDetail> {
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

async function newLane(settings: LaneSettings, { resolveDirectory, defaults, now, waybill }: DeskOptions) {
  const there = await waybill.store.lane(settings.id);
  const runtime = settings.runtime ?? there?.runtime ?? defaults.runtime;
  refuseAgentWithModel({ ...settings, runtime });
  return {
    ...settings,
    runtime,
    ...choiceOf({ ...settings, runtime }, defaults.model),
    directory: resolveDirectory(settings.directory),
    createdAt: there?.createdAt ?? now(),
  };
}

/** A lane that goes over to another runtime gets what a new one of it would. */
function withDefaults(choose: Choose, { defaults }: DeskOptions): Choose {
  return (lane, isUsed) => {
    const change = choose(lane, isUsed);
    const then = { ...lane, ...change };
    refuseAgentWithModel(then);
    return change.runtime === undefined ? change : { ...change, ...choiceOf(then, defaults.model) };
  };
}

async function knownLanes({ store }: Waybill): Promise<string> {
  const ids = (await store.lanes()).map((lane) => lane.id).join(", ");
  return ids === "" ? "No lane has been set up yet." : `Known lanes: ${ids}.`;
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

function draining(): AppError {
  return new AppError({
    code: "draining",
    message: "This daemon is about to end and takes no new messages.",
    hint: "Send it again in a moment, under the same message id.",
    retryable: true,
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
