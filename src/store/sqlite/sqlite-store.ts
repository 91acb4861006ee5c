/** The embedded store: one file, one writing process, full durability. */
import { isDeepStrictEqual } from "node:util";
import type Database from "better-sqlite3";
import type { DeliveryEvent } from "../../core/delivery/delivery-event.ts";
import type { DeliveryRecord } from "../../core/delivery/record.ts";
import type { Message, OutgoingMail, Recipient } from "../../core/message/message.ts";
import type { Admission, Applied, LaneChoice, LaneFork, Store } from "../port.ts";
import { copyStore } from "./copy-store.ts";
import { eventStatements } from "./events.ts";
import { feedStatements } from "./feed.ts";
import { storeProblem } from "./file/file-errors.ts";
import { lockStore } from "./file/lock.ts";
import { refuseNetworkFilesystem } from "./file/network-filesystem.ts";
import type { CommitPoint } from "./group-commit.ts";
import { GroupCommit } from "./group-commit.ts";
import { checkStore, pruneStore } from "./housekeeping.ts";
import { laneStatements } from "./lanes.ts";
import { isLaneHeld, ledgerStatements } from "./ledger.ts";
import { mailStatements } from "./mail.ts";
import { migrate } from "./migrate.ts";
import { openFile } from "./open-file.ts";
import { usageStatements } from "./usage.ts";

export type SqliteOptions = {
  path: string;
  now?: () => number;
  failPoint?: ((point: CommitPoint) => void) | undefined;
};

export function openSqliteStore(options: SqliteOptions): Store {
  const { path } = options;
  refuseNetworkFilesystem(path);
  const lock = lockStore(path, (options.now ?? Date.now)());
  try {
    const db = openFile(path, { suspicious: lock.leftOpen });
    try {
      migrate(db, path);
      return storeOn(path, db, new GroupCommit(db, options.failPoint ?? (() => {})), lock.release);
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    lock.abandon();
    throw storeProblem(path, error);
  }
}

function storeOn(path: string, db: Database.Database, commits: GroupCommit, unlock: () => void): Store {
  const lanes = laneStatements(db);
  const mail = mailStatements(db);
  const ledger = ledgerStatements(db, lanes.find);
  const feed = feedStatements(db, lanes.find);
  const events = eventStatements(db);
  const usage = usageStatements(db);
  const probe = db.prepare<[number]>(
    "INSERT INTO probe (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at",
  );

  const isAsSeen = ({ seen, wasUsed }: LaneChoice) =>
    isDeepStrictEqual(lanes.find(seen.id), seen) &&
    wasUsed === ledger.page({ laneId: seen.id, limit: 1 }).items.length > 0;

  const admit = (
    message: Message,
    payloadHash: string,
    delivery: DeliveryRecord | null,
    choice: LaneChoice | null,
  ): Admission => {
    const known = mail.find(message.recipient, message.id);
    if (known) {
      if (known.payloadHash !== payloadHash) return { outcome: "conflict" };
      return { outcome: "known", message: known.message, delivery: ledger.byMessage(known.seq) };
    }
    // Here and not only at the door: the lane may have been removed in between.
    if (delivery) lanes.known(delivery.laneId);
    if (choice && !isAsSeen(choice)) return { outcome: "lane_changed" };
    if (choice) lanes.change(choice.seen.id, choice.change);
    const seq = mail.insert(message, payloadHash);
    if (delivery) ledger.begin(delivery, seq, "admitted");
    return { outcome: "admitted", message, delivery };
  };

  const apply = (id: string, events: readonly DeliveryEvent[], outgoing: readonly OutgoingMail[]): Applied => {
    const applied = ledger.apply(id, events);
    if (applied.outcome === "refused") return applied;
    const { before, record } = applied;
    if (before?.readCommittedAt === null && record.readCommittedAt !== null) mail.markRead(id, record.readCommittedAt);
    for (const { message, payloadHash } of outgoing) {
      if (!mail.find(message.recipient, message.id)) mail.insert(message, payloadHash);
    }
    return applied;
  };

  const rebuild = (record: DeliveryRecord): Applied => {
    const known = mail.find({ kind: "lane", lane: record.laneId }, record.messageId);
    if (!known) return { outcome: "refused", reason: "message_unknown", record: null };
    const there = ledger.byMessage(known.seq);
    if (there) return { outcome: "refused", reason: "delivery_known", record: there };
    ledger.begin(record, known.seq, "rebuilt");
    return { outcome: "applied", record, effects: [] };
  };

  const fork = ({ lane, sessionId, at, usage: used, events: begun }: LaneFork, keep: number) => {
    lanes.add(lane);
    if (sessionId !== null) lanes.openSession(lane.id, sessionId, at);
    usage.count(lane.id, used);
    return { lane: lanes.known(lane.id), cursors: events.append(begun, keep) };
  };

  return {
    putLane: (lane) => commits.write(() => lanes.put(lane)),
    changeLane: (id, change) => commits.write(() => lanes.change(id, change)),
    lane: async (id) => lanes.find(id),
    lanes: async () => lanes.all(),
    pauseLane: (id, reason) => commits.write(() => lanes.pause(id, reason)),
    removeLane: (id, at) => commits.write(() => ledger.openIn(id).length === 0 && lanes.remove(id, at)),
    openSession: (laneId, sessionId, at) => commits.write(() => lanes.openSession(laneId, sessionId, at)),
    sessions: async (laneId) => lanes.sessions(laneId),

    async countUsage(laneId, entries) {
      const fresh = usage.fresh(laneId, entries);
      if (fresh.length > 0) await commits.write(() => usage.count(laneId, fresh));
    },
    usageOf: async (laneId, day) => usage.of(laneId, day),
    liftLimits: (laneId, day) => commits.write(() => usage.lift(laneId, day)),

    admit: (message, hash, delivery, choice = null) => commits.write(() => admit(message, hash, delivery, choice)),
    message: async (recipient: Recipient, id) => mail.find(recipient, id)?.message ?? null,
    mailOf: async (recipient, limit) => mail.newest(recipient, limit),
    messages: async (filter) => mail.page(filter),
    writtenBack: async (messageId, laneId) => mail.writtenBack(messageId, laneId),
    repliesTo: async (messageId, fromLane) => mail.replies(messageId, fromLane),

    apply: (id, events, outgoing = []) =>
      commits.write(() => apply(id, events, outgoing)).catch((error) => laneHeld(error, () => ledger.byId(id))),
    rebuild: (record) => commits.write(() => rebuild(record)).catch((error) => laneHeld(error, () => null)),
    delivery: async (id) => ledger.byId(id),
    deliveryOf: async (laneId, messageId) => {
      const known = mail.find({ kind: "lane", lane: laneId }, messageId);
      return known ? ledger.byMessage(known.seq) : null;
    },
    deliveries: async (filter) => ledger.page(filter),
    counts: async () => ledger.counts(),
    history: async (id) => ledger.history(id),
    outstanding: async (laneId) => ledger.outstanding(laneId),
    head: async (laneId) => ledger.head(laneId),
    openDeliveries: async (laneId) => ledger.openIn(laneId),
    waiting: async (laneId) => ledger.waiting(laneId),
    lanesWithWork: async () => ledger.lanesWithWork(),
    nextLookAt: async (after = Number.NEGATIVE_INFINITY) => ledger.nextLookAt(after),
    dueReconciles: async (now, limit, exceptTeams = []) => ledger.dueReconciles(now, limit, exceptTeams),
    failedWithReply: async () => ledger.failedWithReply(),
    unrecorded: async () => mail.unrecorded(),

    feedEnd: async () => feed.now(),
    feed: async (cursor, limit, laneId) => feed.after(cursor, laneId, limit),
    onFeed: (listener) => commits.onCommit(listener),
    raise: (alert) => commits.write(() => feed.raise(alert)),
    failedWithoutAlert: async () => ledger.failedWithoutAlert(),

    appendEvents: (appended, keep) => commits.write(() => events.append(appended, keep)),
    forkLane: (forked, keep) => commits.write(() => fork(forked, keep)),
    events: async (filter) => events.page(filter),
    eventsEnd: async () => events.end(),
    eventsBefore: async (laneId, seq, limit) => events.before(laneId, seq, limit),
    lastEventSeq: async (laneId) => events.last(laneId),
    lanesInTurn: async () => events.lanesInTurn(),

    probe: (at) => commits.write(() => void probe.run(at)),
    prune: (before) => commits.write(() => pruneStore(db, before)),
    check: async () => checkStore(db),
    backup: (to) => copyStore(path, to),
    async close() {
      commits.close();
      db.close();
      unlock();
    },
  };
}

function laneHeld(error: unknown, record: () => DeliveryRecord | null): Applied {
  if (isLaneHeld(error)) return { outcome: "refused", reason: "lane_held_by_another_delivery", record: record() };
  throw error;
}
