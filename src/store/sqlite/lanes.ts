/** Lanes and their sessions. */
import type Database from "better-sqlite3";
import type { Lane, LaneSession } from "../../core/lane/lane.ts";

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
