/** Lanes and the sessions that they have had. */
import type Database from "better-sqlite3";
import { AppError } from "../../app-error.ts";
import type { Lane, LaneChange } from "../../core/lane/lane.ts";
import { laneUnknown } from "../known-lane.ts";
import type { LaneSession, NewLane } from "../port.ts";

const columns = `id, display_name AS displayName, team, member, runtime, directory, agent, model, contract,
  paused_reason AS pausedReason, session_id AS sessionId, generation, created_at AS createdAt`;

export function laneStatements(db: Database.Database) {
  const byId = db.prepare<[string], Lane>(`SELECT ${columns} FROM lane WHERE id = ? AND removed_at IS NULL`);
  const all = db.prepare<[], Lane>(`SELECT ${columns} FROM lane WHERE removed_at IS NULL ORDER BY created_at, id`);
  const put = db.prepare<NewLane>(`
    INSERT INTO lane (id, display_name, team, member, runtime, directory, agent, model, contract, created_at)
    VALUES (@id, @displayName, @team, @member, @runtime, @directory, @agent, @model, @contract, @createdAt)
    ON CONFLICT (id) DO UPDATE SET
      display_name = excluded.display_name, team = excluded.team, member = excluded.member, runtime = excluded.runtime, directory = excluded.directory,
      agent = excluded.agent, model = excluded.model, contract = excluded.contract, removed_at = NULL`);
  const change = db.prepare<Lane>(`
    UPDATE lane SET
      display_name = @displayName, team = @team, member = @member, runtime = @runtime, directory = @directory,
      agent = @agent, model = @model, contract = @contract
    WHERE id = @id`);
  const isUsed = db.prepare<[string]>("SELECT 1 FROM lane WHERE id = ?").pluck();
  const pause = db.prepare<[string | null, string]>("UPDATE lane SET paused_reason = ? WHERE id = ?");
  const remove = db.prepare<[number, string]>("UPDATE lane SET removed_at = ?, paused_reason = NULL WHERE id = ?");
  const nextGeneration = db.prepare<[string, string]>(`
    UPDATE lane SET
      session_id = ?,
      generation = 1 + max(generation, (SELECT coalesce(max(generation_floor), 0) FROM restored))
    WHERE id = ?`);
  // A lane that was removed and is made again goes on in its session, so that it is still its own.
  const ownerOf = db
    .prepare<[string, string], string>("SELECT id FROM lane WHERE session_id = ? AND id <> ? LIMIT 1")
    .pluck();
  const addSession = db.prepare<[string, number, string, number]>(
    "INSERT INTO lane_session (lane_id, generation, session_id, opened_at) VALUES (?, ?, ?, ?)",
  );
  const sessionsOf = db.prepare<[string], LaneSession>(`
    SELECT generation, session_id AS sessionId, opened_at AS openedAt
    FROM lane_session WHERE lane_id = ? ORDER BY generation`);

  const known = (id: string): Lane => {
    const lane = byId.get(id);
    if (lane) return lane;
    throw laneUnknown(id, all.all());
  };

  return {
    find: (id: string): Lane | null => byId.get(id) ?? null,
    known,
    all: (): Lane[] => all.all(),
    put(lane: NewLane): Lane {
      put.run(lane);
      return known(lane.id);
    },
    change(id: string, changed: LaneChange): Lane {
      change.run({ ...known(id), ...changed });
      return known(id);
    },
    /** One whose name was never used. */
    add(lane: NewLane): Lane {
      if (isUsed.get(lane.id) !== undefined) throw laneKnown(lane.id);
      put.run(lane);
      return known(lane.id);
    },
    pause(id: string, reason: string | null): Lane {
      pause.run(reason, id);
      return known(id);
    },
    remove(id: string, at: number): true {
      known(id);
      remove.run(at, id);
      return true;
    },
    openSession(laneId: string, sessionId: string, at: number): Lane {
      const owner = ownerOf.get(sessionId, laneId);
      if (owner !== undefined) throw sessionInUse(sessionId, owner);
      nextGeneration.run(sessionId, laneId);
      const lane = known(laneId);
      addSession.run(laneId, lane.generation, sessionId, at);
      return lane;
    },
    sessions: (laneId: string): LaneSession[] => sessionsOf.all(laneId),
  };
}

function laneKnown(id: string): AppError {
  return new AppError({
    code: "not_possible",
    message: `There is, or was, a lane "${id}".`,
    hint: "Take another name.",
  });
}

function sessionInUse(sessionId: string, owner: string): AppError {
  return new AppError({
    code: "session_in_use",
    message: `Session "${sessionId}" is that of lane "${owner}".`,
    hint: `Name another session, or send to lane "${owner}". One that was removed goes on in its session once it is made again.`,
  });
}
