/** The embedded store: one file, one writing process, full durability. */
import type Database from "better-sqlite3";
import type { LogItem } from "../../core/log/log-item.ts";
import type { OpenOptions } from "../administration.ts";
import type { FactName, Facts, Known, PlanAdapter, Wanted } from "../execute-plans.ts";
import { plannedVerbs } from "../execute-plans.ts";
import type { Staged } from "../port.ts";
import type { Store } from "../store.ts";
import { realStorePath, refuseNetworkFilesystem } from "./file/file-access.ts";
import { storeProblem } from "./file/file-errors.ts";
import { lockStore } from "./file/lock.ts";
import { reportDamage, StoreHealth } from "./file/store-health.ts";
import { GroupCommit } from "./group-commit.ts";
import { checkStore, pruneStore } from "./housekeeping.ts";
import { logCursor } from "./log/log.ts";
import { logReader } from "./log/read-log.ts";
import { migrate } from "./migrate.ts";
import { openFile } from "./open-file.ts";
import { factsFrom, rowWriter } from "./plan-transaction.ts";
import { refuseForgotten, rescueStore } from "./rescue-store.ts";
import { prepareStatements } from "./statements.ts";
import { transportVerbs } from "./transports.ts";

export type SqliteOptions = Omit<OpenOptions, "onHealth"> & {
  path: string;
  now?: () => number;
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

function storeOn(db: Database.Database, options: Options): Store {
  const { failPoint, unlock, now, health, onListenerError = () => {} } = options;
  const statements = prepareStatements(db);
  const { lanes, teams, exchanges, mail, handOvers, deliveries, log, usage, dayStats } = statements;
  const facts = factsFrom(statements);
  const writeRows = rowWriter(statements);
  const reader = logReader(db, { end: log.end, lastSeq: log.lastSeq, lane: lanes.find, team: teams.find, deliveries });
  const probe = db.prepare<[number]>(
    "INSERT INTO probe (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at",
  );

  const listeners = new Set<(items: readonly LogItem[]) => void>();
  let isPublishing = false;
  /** What a listener passes on comes after the items that all listeners are getting now. */
  const publish = () => {
    if (isPublishing) return;
    isPublishing = true;
    try {
      while (!commits.pending && log.hasNews()) tell(log.committed());
    } finally {
      isPublishing = false;
    }
  };
  const tell = (items: readonly LogItem[]): void => {
    for (const listener of listeners) {
      try {
        listener(items);
      } catch (error) {
        onListenerError(error);
      }
    }
  };
  /** Queued after the writes that are about to become durable. */
  const pass = (items: readonly LogItem[]): void => {
    for (const item of items) log.pass(item);
    publish();
  };
  const commits = new GroupCommit(db, health, {
    failPoint,
    onCommit: publish,
    onRollback() {
      lanes.forget();
      deliveries.forget();
      mail.forget();
      teams.forget();
      if (!db.inTransaction) log.undo(0);
    },
  });
  const stage = <T>(run: () => T): Staged<T> => {
    const mark = log.mark();
    try {
      return commits.stage(run);
    } catch (error) {
      log.undo(Math.min(mark, log.mark()));
      throw error;
    }
  };
  const write = async <T>(run: () => T): Promise<T> => {
    const { result, durable } = stage(run);
    await durable;
    return result;
  };

  const names = { lanes: async () => lanes.all(), teams: async () => teams.all() };
  const adapter: PlanAdapter = {
    stage: async (name, wanted, decide) =>
      stage(() => {
        const { result, writes } = decide(load(facts, name, wanted));
        if (writes) writeRows(writes);
        return result;
      }),
    look: async (name, wanted) => load(facts, name, wanted),
    pass,
  };

  return {
    ...names,
    ...plannedVerbs(adapter, names, now),

    lane: async (id) => lanes.find(id),
    sessions: async (laneId) => lanes.sessions(laneId),
    team: async (name) => teams.find(name),
    heldExchanges: async () => exchanges.held(),
    heldFrom: async (laneId) => deliveries.heldFrom(laneId),
    openHandOvers: async (team) => handOvers.open(team),
    async handOver(recipient, messageId) {
      const known = mail.find(recipient, messageId);
      return known && handOvers.find(known.seq);
    },

    delivery: async (id) => deliveries.byId(id),
    deliveryOf: async (laneId, messageId) => {
      const known = mail.find({ kind: "lane", lane: laneId }, messageId);
      return known ? deliveries.byMessage(known.seq) : null;
    },
    deliveries: async (filter) => deliveries.page(filter),
    deliveriesOf: async (messages) => deliveries.ofMessages(messages),
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
    failedWithoutAlert: async () => deliveries.failedWithoutAlert(),

    message: async (recipient, id) => mail.find(recipient, id)?.message ?? null,
    mailOf: async (recipient, limit) => mail.newest(recipient, limit),
    messagesWithId: async (id) => mail.withId(id),
    repliesIn: async (mailbox, messageId) => mail.repliesIn(mailbox, messageId),
    mailFrom: async (sender, limit) => mail.from(sender, limit),
    inbox: async (reader, filter) => mail.inbox(reader, filter),
    async markRead(reader, ids, at) {
      const count = await write(() => mail.readBy(reader, ids, at));
      if (count > 0) pass([{ cursor: null, at, laneId: null, type: "read", reader }]);
      return count;
    },
    unreadByConversation: async (reader) => mail.unreadByConversation(reader),
    unreadByPerson: async () => mail.unreadByPerson(),
    async messages(filter) {
      if (filter.query !== undefined && !mail.isSearchable()) await write(mail.makeSearchable);
      return mail.page(filter);
    },
    writtenBack: async (messageId, laneId, to) => mail.writtenBack(messageId, laneId, to),
    repliesTo: async (messageId, fromLane) => mail.replies(messageId, fromLane),
    unrecorded: async () => mail.unrecorded(),
    namedAttachments: async (ids) => mail.namedAttachments(ids),

    passMemberState: (state) => pass([{ cursor: null, type: "member", ...state }]),
    passAsk: (change) => pass([{ cursor: null, type: "ask", ...change }]),
    readLog: (query) => reader.page(query),
    logEnd: () => logCursor(log.end()),
    onLog(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    eventsBefore: async (laneId, seq, limit, maxCharacters) => reader.eventsBefore(laneId, seq, limit, maxCharacters),
    lastEventSeq: async (laneId) => log.lastSeq(laneId),
    lanesInTurn: async () => reader.lanesInTurn(),

    usageOf: async (laneId, day) => usage.of(laneId, day),
    liftLimits: (laneId, day) => write(() => usage.lift(laneId, day)),
    dayStats: async (filter) => dayStats.since(filter),

    ...transportVerbs(db, write),

    settled: async () => commits.pending ?? undefined,
    async probe(at) {
      health.expectRoom();
      await write(() => void probe.run(at));
    },
    prune: (before) =>
      write(() => {
        const pruned = pruneStore(db, before);
        deliveries.forget();
        return pruned;
      }),
    check: async () => checkStore(db),
    async close() {
      commits.close();
      await health.close();
      db.close();
      unlock();
    },
  };
}

function load<Name extends FactName>(facts: Facts, name: Name, wanted: Wanted<Name>): Known<Name> {
  const loader = facts[name] as (wanted: Wanted<Name>) => Known<Name>;
  return loader(wanted);
}
