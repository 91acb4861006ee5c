/** Teams with their members, and the exchanges between pairs of lanes. */
import type Database from "better-sqlite3";
import type { Exchange, ExchangePair } from "../../core/team/exchange.ts";
import type { Member, Team } from "../../core/team/team.ts";

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
