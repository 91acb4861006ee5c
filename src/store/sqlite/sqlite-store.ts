/** The embedded store: one file, one writing process, full durability. */
import type Database from "better-sqlite3";
import type { DeliveryEvent, OutgoingMail } from "../../core/delivery/delivery-event.ts";
import type { DeliveryRecord } from "../../core/delivery/record.ts";
import { inboxFor } from "../../core/inbox/hand-over.ts";
import type { Lane } from "../../core/lane/lane.ts";
import type { LogItem } from "../../core/log/log-item.ts";
import type { Message } from "../../core/message/message.ts";
import type { Admission, AdmissionRequest } from "../../core/plan/plans.ts";
import {
  changedLane,
  planAdmission,
  planEvents,
  planFork,
  planLane,
  planRebuild,
  planRemoval,
  planSession,
} from "../../core/plan/plans.ts";
import type { Applied, Plan, Writes } from "../../core/plan/writes.ts";
import { laneUnknown } from "../known-lane.ts";
import type { LaneFork, Staged } from "../port.ts";
import type { Store } from "../store.ts";
import { dayStatsStatements } from "./day-stats.ts";
import { deliveryStatements } from "./deliveries.ts";
import { exchangeStatements, isBetween, isFromLane } from "./exchanges.ts";
import { realStorePath } from "./file/file-access.ts";
import { storeProblem } from "./file/file-errors.ts";
import { lockStore } from "./file/lock.ts";
import { refuseNetworkFilesystem } from "./file/network-filesystem.ts";
import { reportDamage } from "./file/report-damage.ts";
import { refuseForgotten } from "./file/rescued.ts";
import { StoreHealth } from "./file/store-health.ts";
import type { CommitPoint } from "./group-commit.ts";
import { GroupCommit } from "./group-commit.ts";
import { handOverStatements, handOverVerbs } from "./hand-overs.ts";
import { checkStore, pruneStore } from "./housekeeping.ts";
import { laneKnown, laneStatements, sessionInUse } from "./lanes.ts";
import { logWriter } from "./log/log.ts";
import { logCursor } from "./log/log-cursor.ts";
import { logReader } from "./log/read-log.ts";
import { mailStatements, mailVerbs } from "./mail.ts";
import { migrate } from "./migrate.ts";
import { openFile } from "./open-file.ts";
import { rescueStore } from "./rescue-store.ts";
import { teamWriter } from "./team-writer.ts";
import { transportVerbs } from "./transports.ts";
import { usageStatements, usageVerbs } from "./usage.ts";

export type SqliteOptions = {
  path: string;
  now?: () => number;
  failPoint?: ((point: CommitPoint) => void) | undefined;
  health?: StoreHealth;
  /** A log listener has thrown. The items are durable, and the other listeners still get them. */
  onListenerError?: (error: unknown) => void;
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
  const lanes = laneStatements(db);
  const exchanges = exchangeStatements(db);
  const mail = mailStatements(db);
  const handOvers = handOverStatements(db);
  const deliveries = deliveryStatements(db);
  const log = logWriter(db);
  const reader = logReader(db, {
    end: log.end,
    lastSeq: log.lastSeq,
    lane: lanes.find,
    team: (name) => teams.find(name),
    deliveries,
  });
  const usage = usageStatements(db);
  const dayStats = dayStatsStatements(db);
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
  const pass = (item: LogItem): void => {
    log.pass(item);
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

  const saveLane = (lane: Lane): Lane => {
    if (lane === lanes.find(lane.id)) return lane;
    lanes.save(lane);
    log.addLane(lane, lane.id, lane.version === 1 ? lane.createdAt : now());
    return lane;
  };
  const teams = teamWriter(db, { lanes, log, handOvers, saveLane, now });
  const removeLane = (lane: Lane, at: number): void => {
    teams.laneRemoved(lane.id);
    exchanges.laneRemoved(lane.id);
    lanes.save(lane);
    lanes.remove(lane.id, at);
    log.addLane(null, lane.id, now());
  };
  /** A person, or a member that Waybill does not run, may be reading an inbox file. */
  const oweRow = (seq: number, message: Message): void => {
    const lane = message.fromLane ?? message.laneId;
    const place = inboxFor(message, lane === null ? null : lanes.find(lane), (team) => teams.files.has(team));
    if (place) handOvers.owe(seq, place, message.createdAt);
  };
  const addMessage = ({ message, payloadHash }: OutgoingMail): number | null => {
    const seq = mail.insert(message, payloadHash);
    if (seq === null) return null;
    log.addMessage(seq, message);
    if (teams.files.size > 0 && message.recipient.kind !== "lane") oweRow(seq, message);
    return seq;
  };
  /** Mail to an agent begins a delivery, unless its recipient already has the message. */
  const beginMailed = ({ message, delivery }: OutgoingMail, seq: number | null): void => {
    if (seq === null || !delivery) return;
    deliveries.begin(delivery, seq);
    const event = { type: "admitted", at: delivery.createdAt, record: delivery } as const;
    log.addEvents(seq, { record: delivery, events: [event], admitted: message });
  };
  const seqOfMessage = ({ laneId, messageId }: DeliveryRecord) =>
    mail.find({ kind: "lane", lane: laneId }, messageId)?.seq ?? 0;

  /** Saves what a plan has decided. */
  const save = (writes: Writes, keep = 0): void => {
    const {
      lane,
      laneRemovedAt,
      session,
      usage: used,
      agentEvents,
      messages = [],
      delivery,
      change,
      events = [],
    } = writes;
    if (lane && laneRemovedAt !== undefined) removeLane(lane, laneRemovedAt);
    else if (lane) saveLane(lane);
    if (lane && session) lanes.addSession(lane.id, session);
    if (lane && used) usage.count(lane.id, used);
    if (agentEvents) log.append(agentEvents, keep);
    const seqs = messages.map(addMessage);
    for (const [index, one] of messages.entries()) beginMailed(one, seqs[index] ?? null);
    if (writes.exchange) exchanges.save(writes.exchange);
    if (writes.exchangesEnded !== undefined && exchanges.mayHaveAny) exchanges.end(writes.exchangesEnded);
    if (writes.alert) log.raise(writes.alert);
    if (delivery) {
      const seq = seqs[0] ?? seqOfMessage(delivery);
      deliveries.begin(delivery, seq);
      const [first] = messages;
      log.addEvents(seq, { record: delivery, events, ...(first ? { admitted: first.message } : {}) });
    }
    if (change) {
      const { before, record } = change;
      const seq = deliveries.change(before, record);
      log.addEvents(seq, { before, record, events });
      if (writes.readAt !== undefined) mail.markRead(seq, record, writes.readAt);
      if (writes.dayStats) dayStats.change(writes.dayStats);
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
    const { message, delivery, choice, exchange: pair } = request;
    const facts = {
      known: knownMessage(message),
      lane: delivery && lanes.find(delivery.laneId),
      isUsed: delivery !== null && choice !== null && deliveries.isUsed(delivery.laneId),
      exchange: pair ? exchanges.find({ one: pair.one, other: pair.other }) : null,
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
  const sessionFacts = (laneId: string, sessionId: string) => ({
    owner: lanes.ownerOf(sessionId, laneId),
    generationFloor: lanes.generationFloor(),
  });
  const openSession = (id: string, sessionId: string, at: number): Lane => {
    const plan = planSession({ lane: lanes.known(id), ...sessionFacts(id, sessionId) }, sessionId, at);
    if ("refused" in plan) throw sessionInUse(sessionId, plan.owner);
    save(plan.writes);
    return plan.writes.lane;
  };
  const remove = (id: string, at: number): boolean => {
    const plan = planRemoval(lanes.known(id), deliveries.openIn(id).length > 0, at);
    if (plan) save(plan.writes);
    return plan !== null;
  };
  const fork = (forked: LaneFork, keep: number): Lane => {
    const { id } = forked.lane;
    const facts = { isTaken: lanes.ever(id) !== null, ...sessionFacts(id, forked.sessionId ?? "") };
    const plan = planFork(facts, forked);
    if ("refused" in plan) {
      throw plan.refused === "lane_taken" ? laneKnown(id) : sessionInUse(forked.sessionId ?? "", plan.owner);
    }
    save(plan.writes, keep);
    return plan.writes.lane;
  };

  return {
    putLane: (settings) =>
      write(() => {
        const lane = saveLane(planLane(lanes.find(settings.id), settings, lanes.ever(settings.id)));
        return teams.joined(lane, settings);
      }),
    changeLane: (id, change) => write(() => saveLane(changedLane(lanes.known(id), change))),
    lane: async (id) => lanes.find(id),
    lanes: async () => lanes.all(),
    pauseLane: (id, reason) => write(() => saveLane(changedLane(lanes.known(id), { pausedReason: reason }))),
    removeLane: (id, at) => write(() => remove(id, at)),
    openSession: (laneId, sessionId, at) => write(() => openSession(laneId, sessionId, at)),
    sessions: async (laneId) => lanes.sessions(laneId),
    forkLane: (forked, keep) => write(() => fork(forked, keep)),

    teams: async () => teams.all(),
    team: async (name) => teams.find(name),
    putTeam: (team) => write(() => teams.put(team)),
    removeTeam: (name) => write(() => teams.remove(name)),
    setTeamState: (name, state) => write(() => teams.setState(name, state)),
    putMember: (member) => write(() => teams.putMember(member)),
    removeMember: (team, name) => write(() => teams.removeMember(team, name)),
    terminateMember: (team, name, at) => write(() => teams.terminate(team, name, at)),
    heldExchanges: async () => exchanges.held(),
    heldFrom: async (laneId) => deliveries.held().filter((record) => isFromLane(record, laneId)),
    endExchange: (pair) =>
      write(() => {
        const held = deliveries.held().filter((record) => isBetween(record, pair));
        if (held.length === 0) exchanges.remove(pair);
        return held;
      }),

    ...handOverVerbs({ handOvers, mail, log, write }),
    ...transportVerbs(db, write),

    admit: (request) => write(() => admit(request)),
    stageAdmission: async (request) => stage(() => admit(request)),
    apply: (id, happened, outgoing = []) => write(() => apply(id, happened, outgoing)),
    stage: async (id, happened, outgoing = []) => stage(() => apply(id, happened, outgoing)),
    rebuild: (record) => write(() => rebuild(record)),
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

    ...mailVerbs({ mail, write, pass }),

    async appendEvents(events, keep) {
      if (events.some(({ kept }) => kept)) return write(() => log.append(events, keep));
      log.append(events, keep);
      publish();
    },
    raise: (alert) => write(() => log.raise(alert)),
    passMemberState: (state) => pass({ cursor: null, type: "member", ...state }),
    passAsk: (change) => pass({ cursor: null, type: "ask", ...change }),
    readLog: (query) => reader.page(query),
    logEnd: () => logCursor(log.end()),
    onLog(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    eventsBefore: async (laneId, seq, limit, maxCharacters) => reader.eventsBefore(laneId, seq, limit, maxCharacters),
    lastEventSeq: async (laneId) => log.lastSeq(laneId),
    lanesInTurn: async () => reader.lanesInTurn(),

    ...usageVerbs({ usage, dayStats, write }),
    dayStats: async (filter) => dayStats.since(filter),

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
