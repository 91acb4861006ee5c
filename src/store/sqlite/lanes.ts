/**
 * Lanes and their sessions; what they used, and their statistics, by day; teams with their members, and the exchanges
 * between pairs of lanes.
 */
import type Database from "better-sqlite3";
import type { DayUsage, Lane, LaneSession, Usage, UsageEntry } from "../../core/lane/lane.ts";
import type { DayAmount } from "../../core/plan/writes.ts";
import type { DayStats, Durations } from "../../core/stats/day-stats.ts";
import type { Exchange, ExchangePair } from "../../core/team/exchange.ts";
import type { Member, Team } from "../../core/team/team.ts";
import type { StatsFilter } from "../port.ts";
import type { ColumnValue } from "./deliveries.ts";

/** Why a member's team keeps it from working. Must agree with `holdOf` of core/team. */
const teamHold = `(
  SELECT CASE WHEN member.terminated_at IS NOT NULL THEN 'member_terminated'
    WHEN team.state <> 'active' THEN 'team_' || team.state END
  FROM member JOIN team ON team.name = member.team WHERE member.lane_id = lane.id)`;
const columns = `id, display_name AS displayName, team, member, runtime, directory, agent, model, contract,
  paused_reason AS pausedReason, ${teamHold} AS teamHold, session_id AS sessionId, generation, created_at AS createdAt,
  version`;

export function laneStatements(db: Database.Database) {
  const byId = db.prepare<[string], Lane>(`SELECT ${columns} FROM lane WHERE id = ? AND removed_at IS NULL`);
  const ever = db.prepare<[string], Lane>(`SELECT ${columns} FROM lane WHERE id = ?`);
  const all = db.prepare<[], Lane>(`SELECT ${columns} FROM lane WHERE removed_at IS NULL ORDER BY created_at, id`);
  const save = db.prepare<Lane>(`
    INSERT INTO lane (id, display_name, team, member, runtime, directory, agent, model, contract, paused_reason,
      session_id, generation, created_at, version)
    VALUES (@id, @displayName, @team, @member, @runtime, @directory, @agent, @model, @contract, @pausedReason,
      @sessionId, @generation, @createdAt, @version)
    ON CONFLICT (id) DO UPDATE SET
      display_name = excluded.display_name, team = excluded.team, member = excluded.member, runtime = excluded.runtime,
      directory = excluded.directory, agent = excluded.agent, model = excluded.model, contract = excluded.contract,
      paused_reason = excluded.paused_reason, session_id = excluded.session_id, generation = excluded.generation,
      version = excluded.version, created_at = excluded.created_at, removed_at = NULL`);
  const remove = db.prepare<[number, string]>("UPDATE lane SET removed_at = ? WHERE id = ?");
  // Includes removed lanes: one that is created again continues in its session, so the session is still its own.
  const ownerOf = db
    .prepare<[string, string], string>("SELECT id FROM lane WHERE session_id = ? AND id <> ? LIMIT 1")
    .pluck();
  const generationFloor = db.prepare<[], number>("SELECT coalesce(max(generation_floor), 0) FROM restored").pluck();
  const addSession = db.prepare<LaneSession & { laneId: string }>(`
    INSERT INTO lane_session (lane_id, generation, session_id, opened_at)
    VALUES (@laneId, @generation, @sessionId, @openedAt)`);
  const sessionsOf = db.prepare<[string], LaneSession>(`
    SELECT generation, session_id AS sessionId, opened_at AS openedAt
    FROM lane_session WHERE lane_id = ? ORDER BY generation`);

  /** Cached, because every step of a delivery needs its lane, which rarely changes. */
  const kept = new Map<string, Lane>();
  const find = (id: string): Lane | null => {
    const lane = kept.get(id) ?? byId.get(id);
    if (lane) kept.set(id, lane);
    return lane ?? null;
  };

  return {
    find,
    /** Includes removed lanes. */
    ever: (id: string): Lane | null => ever.get(id) ?? null,
    all: (): Lane[] => all.all(),
    save(lane: Lane): void {
      save.run(lane);
      kept.set(lane.id, lane);
    },
    remove(id: string, at: number): void {
      remove.run(at, id);
      kept.delete(id);
    },
    ownerOf: (sessionId: string, otherThan: string): string | null => ownerOf.get(sessionId, otherThan) ?? null,
    generationFloor: (): number => generationFloor.get() ?? 0,
    addSession: (session: LaneSession & { laneId: string }): void => void addSession.run(session),
    sessions: (laneId: string): LaneSession[] => sessionsOf.all(laneId),
    /** Call after a write was rolled back, or when a team has changed. */
    forget: () => kept.clear(),
  };
}

export function usageStatements(db: Database.Database) {
  const of = db.prepare<[string, string], Usage>(
    "SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost), 0.0) AS cost FROM usage WHERE lane_id = ? AND day = ?",
  );
  const one = db.prepare<[string, string], DayAmount>(
    "SELECT day, tokens, cost FROM usage WHERE lane_id = ? AND message_id = ?",
  );
  const put = db.prepare<UsageEntry & { laneId: string }>(`
    INSERT INTO usage (lane_id, message_id, day, tokens, cost) VALUES (@laneId, @messageId, @day, @tokens, @cost)
    ON CONFLICT (lane_id, message_id)
    DO UPDATE SET tokens = max(tokens, excluded.tokens), cost = max(cost, excluded.cost)`);
  const floor = db.prepare<[], string>("SELECT usage_floor FROM store_state").pluck();
  const isLifted = db.prepare<[string, string]>("SELECT 1 FROM lifted_limit WHERE lane_id = ? AND day = ?").pluck();
  const lift = db.prepare<[string, string]>(
    "INSERT INTO lifted_limit (lane_id, day) VALUES (?, ?) ON CONFLICT DO NOTHING",
  );

  return {
    /** What is known of these messages, by id. */
    known(laneId: string, messageIds: readonly string[]): Map<string, DayAmount> {
      const found = messageIds.map((id) => [id, one.get(laneId, id)] as const);
      return new Map(found.flatMap(([id, amount]) => (amount ? [[id, amount]] : [])));
    },
    /** Messages of earlier days have been forgotten. */
    countedFrom: (): string => floor.get() ?? "",
    save: (laneId: string, { messageId, day, tokens, cost }: UsageEntry): void =>
      void put.run({ laneId, messageId, day, tokens, cost }),
    of: (laneId: string, day: string): DayUsage => ({
      ...(of.get(laneId, day) ?? { tokens: 0, cost: 0 }),
      lifted: isLifted.get(laneId, day) !== undefined,
    }),
    lift: (laneId: string, day: string): void => void lift.run(laneId, day),
  };
}

type Row = Omit<DayStats, "accept" | "firstToken" | "proof"> & {
  accept: string | null;
  firstToken: string | null;
  proof: string | null;
};

export function dayStatsStatements(db: Database.Database) {
  const select = (where: string) => `
    SELECT day, lane_id AS laneId, responded, failed, cancelled, retries, tokens, cost, accept, first_token AS firstToken, proof
    FROM day_stats ${where}`;
  const one = db.prepare<[string, string], Row>(select("WHERE day = ? AND lane_id = ?"));
  const since = db.prepare<[string], Row>(select("WHERE day >= ? ORDER BY day, lane_id"));
  const sinceIn = db.prepare<[string, string], Row>(select("WHERE day >= ? AND lane_id = ? ORDER BY day"));
  // By position, because named parameters are looked up one by one.
  const putEnds = db.prepare<ColumnValue[]>(`
    INSERT INTO day_stats (day, lane_id, responded, failed, cancelled, retries, accept, first_token, proof)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (day, lane_id) DO UPDATE SET
      responded = excluded.responded, failed = excluded.failed, cancelled = excluded.cancelled, retries = excluded.retries,
      accept = excluded.accept, first_token = excluded.first_token, proof = excluded.proof`);
  const addUsage = db.prepare<DayAmount & { laneId: string }>(`
    INSERT INTO day_stats (day, lane_id, tokens, cost) VALUES (@day, @laneId, @tokens, @cost)
    ON CONFLICT (day, lane_id) DO UPDATE SET tokens = tokens + excluded.tokens, cost = cost + excluded.cost`);

  return {
    of(day: string, laneId: string): DayStats | null {
      const row = one.get(day, laneId);
      return row ? statsOf(row) : null;
    },
    /** All but what was used. */
    save({ day, laneId, responded, failed, cancelled, retries, ...times }: DayStats): void {
      const { accept, firstToken, proof } = times;
      const texts = [accept, firstToken, proof].map((one) => one && JSON.stringify(one));
      putEnds.run(day, laneId, responded, failed, cancelled, retries, ...texts);
    },
    addUsage: (laneId: string, { day, tokens, cost }: DayAmount): void =>
      void addUsage.run({ laneId, day, tokens, cost }),
    since: ({ from, laneId }: StatsFilter): DayStats[] =>
      (laneId === undefined ? since.all(from) : sinceIn.all(from, laneId)).map(statsOf),
  };
}

function statsOf({ accept, firstToken, proof, ...counts }: Row): DayStats {
  return { ...counts, accept: read(accept), firstToken: read(firstToken), proof: read(proof) };
}

function read(json: string | null): Durations | null {
  return json === null ? null : (JSON.parse(json) as Durations);
}

type TeamRow = Omit<Team, "members">;

const memberColumns = `team, name, kind, lane_id AS lane, display_name AS displayName, role, color,
  terminated_at AS terminatedAt, created_at AS createdAt`;

export function teamStatements(db: Database.Database) {
  const columns =
    "name, display_name AS displayName, state, directory, directory_since AS directorySince, created_at AS createdAt";
  const byName = db.prepare<[string], TeamRow>(`SELECT ${columns} FROM team WHERE name = ?`);
  const all = db.prepare<[], TeamRow>(`SELECT ${columns} FROM team ORDER BY created_at, name`);
  const membersOf = db.prepare<[string], Member>(
    `SELECT ${memberColumns} FROM member WHERE team = ? ORDER BY position`,
  );
  const ofLane = db.prepare<[string], Member>(`SELECT ${memberColumns} FROM member WHERE lane_id = ?`);
  const save = db.prepare<TeamRow>(`
    INSERT INTO team (name, display_name, state, directory, directory_since, created_at)
    VALUES (@name, @displayName, @state, @directory, @directorySince, @createdAt)
    ON CONFLICT (name) DO UPDATE SET display_name = excluded.display_name, state = excluded.state,
      directory = excluded.directory, directory_since = excluded.directory_since`);
  const removeMembers = db.prepare<[string]>("DELETE FROM member WHERE team = ?");
  const addMember = db.prepare<Member & { position: number }>(`
    INSERT INTO member (team, name, kind, lane_id, display_name, role, color, terminated_at, created_at, position)
    VALUES (@team, @name, @kind, @lane, @displayName, @role, @color, @terminatedAt, @createdAt, @position)`);
  const remove = db.prepare<[string]>("DELETE FROM team WHERE name = ?");
  const withFiles = db.prepare<[], string>("SELECT name FROM team WHERE directory IS NOT NULL").pluck();
  const inDirectory = db.prepare<[string], string>("SELECT name FROM team WHERE directory = ?").pluck();

  /** Teams with files. Cached, because every message to a mailbox checks it. */
  let files: ReadonlySet<string> | null = null;
  const withMembers = (row: TeamRow): Team => ({ ...row, members: membersOf.all(row.name) });
  return {
    find(name: string): Team | null {
      const row = byName.get(name);
      return row ? withMembers(row) : null;
    },
    all: (): Team[] => all.all().map(withMembers),
    withFiles(): ReadonlySet<string> {
      files ??= new Set(withFiles.all());
      return files;
    },
    /** The team that has its files in this directory. */
    inDirectory: (directory: string): string | null => inDirectory.get(directory) ?? null,
    memberIn: (laneId: string): Member | null => ofLane.get(laneId) ?? null,
    /** Rewrites all of its members, which are few. */
    save(team: Team): void {
      const { members, ...row } = team;
      files = null;
      save.run(row);
      removeMembers.run(team.name);
      for (const [position, member] of members.entries()) addMember.run({ ...member, position });
    },
    remove(name: string): void {
      files = null;
      remove.run(name);
    },
    /** Call after a write was rolled back. */
    forget(): void {
      files = null;
    },
  };
}

export function exchangeStatements(db: Database.Database) {
  const columns = "one, other, count, began_at AS beganAt, held_at AS heldAt";
  const find = db.prepare<ExchangePair, Exchange>(
    `SELECT ${columns} FROM exchange WHERE one = @one AND other = @other`,
  );
  const held = db.prepare<[], Exchange>(
    `SELECT ${columns} FROM exchange WHERE held_at IS NOT NULL ORDER BY held_at, one, other`,
  );
  const save = db.prepare<Exchange>(`
    INSERT INTO exchange (one, other, count, began_at, held_at) VALUES (@one, @other, @count, @beganAt, @heldAt)
    ON CONFLICT (one, other) DO UPDATE SET
      count = excluded.count, began_at = excluded.began_at, held_at = excluded.held_at`);
  const end = db.prepare<[string, string]>("DELETE FROM exchange WHERE (one = ? OR other = ?) AND held_at IS NULL");
  const endAll = db.prepare<[string, string]>("DELETE FROM exchange WHERE one = ? OR other = ?");
  const forget = db.prepare<ExchangePair>("DELETE FROM exchange WHERE one = @one AND other = @other");
  const any = db.prepare<[], number>("SELECT 1 FROM exchange LIMIT 1").pluck();

  /** Most stores never have one, and every message checks. */
  let mayHaveAny = any.get() !== undefined;
  return {
    find: (pair: ExchangePair): Exchange | null => find.get(pair) ?? null,
    held: (): Exchange[] => held.all(),
    save(exchange: Exchange): void {
      save.run(exchange);
      mayHaveAny = true;
    },
    /** Something else happened in the lane. Held pairs stay held. */
    end(laneId: string): void {
      if (mayHaveAny) end.run(laneId, laneId);
    },
    /** With the lane removed, there is nothing left to hold. */
    laneRemoved: (laneId: string): void => void endAll.run(laneId, laneId),
    remove: (pair: ExchangePair): void => void forget.run(pair),
  };
}
