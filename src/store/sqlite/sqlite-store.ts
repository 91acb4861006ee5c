/** The embedded store: one file, one writing process, full durability. */
import type Database from "better-sqlite3";
import type { DeliveryEvent } from "../../core/delivery/delivery-event.ts";
import type { DeliveryRecord } from "../../core/delivery/record.ts";
import type { Lane } from "../../core/lane/lane.ts";
import type { Message, OutgoingMail, Recipient } from "../../core/message/message.ts";
import type { Admission, AdmissionRequest } from "../../core/plan/plans.ts";
import { changedLane, planAdmission, planEvents, planLane, planRebuild, planSession } from "../../core/plan/plans.ts";
import type { Applied, Plan, Writes } from "../../core/plan/writes.ts";
import { laneUnknown } from "../known-lane.ts";
import type { LaneFork, Store } from "../port.ts";
import { copyStore } from "./copy-store.ts";
import { deliveryStatements } from "./deliveries.ts";
import { eventStatements } from "./events.ts";
import { realStorePath } from "./file/file-access.ts";
import { storeProblem } from "./file/file-errors.ts";
import { lockStore } from "./file/lock.ts";
import { refuseNetworkFilesystem } from "./file/network-filesystem.ts";
import { reportDamage } from "./file/report-damage.ts";
import { refuseForgotten } from "./file/rescued.ts";
import { StoreHealth } from "./file/store-health.ts";
import type { CommitPoint } from "./group-commit.ts";
import { GroupCommit } from "./group-commit.ts";
import { checkStore, pruneStore } from "./housekeeping.ts";
import { laneKnown, laneStatements, sessionInUse } from "./lanes.ts";
import { logStatements } from "./log.ts";
import { mailStatements } from "./mail.ts";
import { migrate } from "./migrate.ts";
import { openFile } from "./open-file.ts";
import { rescueStore } from "./rescue-store.ts";
import { usageStatements } from "./usage.ts";

export type SqliteOptions = {
  path: string;
  now?: () => number;
  failPoint?: ((point: CommitPoint) => void) | undefined;
  health?: StoreHealth;
};

export function openSqliteStore(options: SqliteOptions): Store {
  const { path, now = Date.now, health = new StoreHealth() } = options;
  refuseNetworkFilesystem(path);
  const real = realStorePath(path);
  const lock = lockStore(path, now());
  try {
    refuseForgotten(real);
    const db = openFile(real, { suspicious: lock.leftOpen });
    try {
      migrate(db, real);
      health.opened({ path, real, copy: () => rescueStore(db, real, now()) });
      const store = storeOn(db, { ...options, path: real, now, health, unlock: lock.release });
      return reportDamage(store, health);
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    lock.abandon();
    throw storeProblem(path, error);
  }
}

type Options = SqliteOptions & { now: () => number; health: StoreHealth; unlock: () => void };

function storeOn(db: Database.Database, { path, failPoint, unlock, now, health }: Options): Store {
  const lanes = laneStatements(db);
  const mail = mailStatements(db);
  const deliveries = deliveryStatements(db);
  const log = logStatements(db, lanes.find, deliveries);
  const events = eventStatements(db);
  const usage = usageStatements(db);
  const probe = db.prepare<[number]>(
    "INSERT INTO probe (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at",
  );
  const forget = () => {
    lanes.forget();
    deliveries.forget();
  };
  const commits = new GroupCommit(db, health, { failPoint, onRollback: forget });

  const saveLane = (lane: Lane): Lane => {
    if (lane === lanes.find(lane.id)) return lane;
    lanes.save(lane);
    log.addLane(lane.id, lane.version === 1 ? lane.createdAt : now());
    return lane;
  };
  const addMessage = ({ message, payloadHash }: OutgoingMail): number | null => {
    const seq = mail.insert(message, payloadHash);
    if (seq === null) return null;
    log.addMessage(seq, message);
    return seq;
  };
  const seqOfMessage = ({ laneId, messageId }: DeliveryRecord) =>
    mail.find({ kind: "lane", lane: laneId }, messageId)?.seq ?? 0;

  /** What a plan has decided. */
  const save = ({ lane, session, messages = [], delivery, change, events: happened = [], readAt }: Writes): void => {
    if (lane) saveLane(lane);
    if (lane && session) lanes.addSession(lane.id, session);
    const [first] = messages.map(addMessage);
    if (delivery) {
      const seq = first ?? seqOfMessage(delivery);
      deliveries.begin(delivery, seq);
      log.addEvents(seq, delivery.laneId, delivery.version, happened);
    }
    if (change) {
      const { before, record } = change;
      const seq = deliveries.change(before, record);
      log.addEvents(seq, record.laneId, record.version, happened);
      if (readAt !== undefined) mail.markRead(seq, readAt);
    }
  };
  const carryOut = <Result>({ result, writes }: Plan<Result>): Result => {
    if (writes) save(writes);
    return result;
  };

  const knownMessage = ({ recipient, id }: Pick<Message, "recipient" | "id">) => {
    const known = mail.find(recipient, id);
    return known && { ...known, delivery: deliveries.byMessage(known.seq) };
  };
  const admit = (request: AdmissionRequest): Admission => {
    const { message, delivery, choice } = request;
    const facts = {
      known: knownMessage(message),
      lane: delivery && lanes.find(delivery.laneId),
      isUsed: delivery !== null && choice !== null && deliveries.isUsed(delivery.laneId),
    };
    const plan = planAdmission(facts, request);
    if ("refused" in plan) throw laneUnknown(delivery?.laneId ?? "", lanes.all());
    return carryOut(plan);
  };
  const apply = (id: string, happened: readonly DeliveryEvent[], outgoing: readonly OutgoingMail[]): Applied => {
    const record = deliveries.byId(id);
    const lane = record && lanes.find(record.laneId);
    const holder = record && deliveries.holder(record.laneId);
    return carryOut(planEvents({ record, lane, holder }, happened, outgoing));
  };
  const rebuild = (record: DeliveryRecord): Applied => {
    const known = knownMessage({ recipient: { kind: "lane", lane: record.laneId }, id: record.messageId });
    return carryOut(planRebuild({ isMessageKnown: known !== null, existing: known?.delivery ?? null }, record));
  };
  const sessionWrites = (lane: Lane, sessionId: string, at: number) => {
    const facts = { lane, owner: lanes.ownerOf(sessionId, lane.id), generationFloor: lanes.generationFloor() };
    const plan = planSession(facts, sessionId, at);
    if ("refused" in plan) throw sessionInUse(sessionId, plan.owner);
    return plan.writes;
  };
  const openSession = (id: string, sessionId: string, at: number): Lane => {
    const writes = sessionWrites(lanes.known(id), sessionId, at);
    save(writes);
    return writes.lane;
  };
  const remove = (id: string, at: number): boolean => {
    const lane = lanes.known(id);
    if (deliveries.openIn(id).length > 0) return false;
    lanes.save(changedLane(lane, { pausedReason: null }));
    lanes.remove(id, at);
    log.addLane(id, now());
    return true;
  };
  const fork = ({ lane, sessionId, at, usage: used, events: begun }: LaneFork, keep: number) => {
    if (lanes.ever(lane.id)) throw laneKnown(lane.id);
    const made = planLane(null, lane);
    const writes = sessionId === null ? { lane: made } : sessionWrites(made, sessionId, at);
    const cursors = events.append(begun, keep);
    save(writes);
    usage.count(lane.id, used);
    return { lane: writes.lane, cursors };
  };

  return {
    putLane: (lane) => commits.write(() => saveLane(planLane(lanes.find(lane.id) ?? lanes.ever(lane.id), lane))),
    changeLane: (id, change) => commits.write(() => saveLane(changedLane(lanes.known(id), change))),
    lane: async (id) => lanes.find(id),
    lanes: async () => lanes.all(),
    pauseLane: (id, reason) => commits.write(() => saveLane(changedLane(lanes.known(id), { pausedReason: reason }))),
    removeLane: (id, at) => commits.write(() => remove(id, at)),
    openSession: (laneId, sessionId, at) => commits.write(() => openSession(laneId, sessionId, at)),
    sessions: async (laneId) => lanes.sessions(laneId),

    async countUsage(laneId, entries) {
      const fresh = usage.fresh(laneId, entries);
      if (fresh.length > 0) await commits.write(() => usage.count(laneId, fresh));
    },
    usageOf: async (laneId, day) => usage.of(laneId, day),
    liftLimits: (laneId, day) => commits.write(() => usage.lift(laneId, day)),

    admit: (request) => commits.write(() => admit(request)),
    message: async (recipient: Recipient, id) => mail.find(recipient, id)?.message ?? null,
    mailOf: async (recipient, limit) => mail.newest(recipient, limit),
    async messages(filter) {
      if (filter.query !== undefined && !mail.isSearchable()) await commits.write(mail.makeSearchable);
      return mail.page(filter);
    },
    writtenBack: async (messageId, laneId) => mail.writtenBack(messageId, laneId),
    repliesTo: async (messageId, fromLane) => mail.replies(messageId, fromLane),

    apply: (id, happened, outgoing = []) => commits.write(() => apply(id, happened, outgoing)),
    rebuild: (record) => commits.write(() => rebuild(record)),
    delivery: async (id) => deliveries.byId(id),
    deliveryOf: async (laneId, messageId) => {
      const known = mail.find({ kind: "lane", lane: laneId }, messageId);
      return known ? deliveries.byMessage(known.seq) : null;
    },
    deliveries: async (filter) => deliveries.page(filter),
    counts: async () => deliveries.counts(),
    async history(id) {
      const known = deliveries.find(id);
      return known ? log.history(known.seq) : [];
    },
    outstanding: async (laneId) => deliveries.outstanding(laneId),
    head: async (laneId) => deliveries.head(laneId),
    openDeliveries: async (laneId) => deliveries.openIn(laneId),
    waiting: async (laneId) => deliveries.waiting(laneId),
    lanesWithWork: async () => deliveries.lanesWithWork(),
    nextReconcileAt: async (after = Number.NEGATIVE_INFINITY) => deliveries.nextReconcileAt(after),
    scheduledAfter: async (time) => deliveries.scheduledAfter(time),
    dueReconciles: async (at, limit, exceptTeams = []) => deliveries.dueReconciles(at, limit, exceptTeams),
    failedWithReply: async () => deliveries.failedWithReply(),
    unrecorded: async () => mail.unrecorded(),

    feedEnd: async () => log.now(),
    feed: async (cursor, limit, laneId) => log.after(cursor, laneId, limit),
    onFeed: (listener) => commits.onCommit(listener),
    raise: (alert) => commits.write(() => log.raise(alert)),
    failedWithoutAlert: async () => deliveries.failedWithoutAlert(),

    appendEvents: (appended, keep) => commits.write(() => events.append(appended, keep)),
    forkLane: (forked, keep) => commits.write(() => fork(forked, keep)),
    events: async (filter) => events.page(filter),
    eventsEnd: async () => events.end(),
    eventsBefore: async (laneId, seq, limit) => events.before(laneId, seq, limit),
    lastEventSeq: async (laneId) => events.last(laneId),
    lanesInTurn: async () => events.lanesInTurn(),

    async probe(at) {
      health.expectRoom();
      await commits.write(() => void probe.run(at));
    },
    prune: (before) =>
      commits.write(() => {
        const pruned = pruneStore(db, before);
        deliveries.forget();
        return pruned;
      }),
    check: async () => checkStore(db),
    backup: (to) => copyStore(path, to),
    async close() {
      commits.close();
      await health.close();
      db.close();
      unlock();
    },
  };
}
