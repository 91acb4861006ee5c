/** Teams with their members. */
import type Database from "better-sqlite3";
import type { Member, NewMember, Team } from "../../core/team/team.ts";
import { AppError } from "../../platform/app-error.ts";

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

  const withMembers = (row: TeamRow): Team => ({ ...row, members: membersOf.all(row.name) });
  return {
    find(name: string): Team | null {
      const row = byName.get(name);
      return row ? withMembers(row) : null;
    },
    all: (): Team[] => all.all().map(withMembers),
    withFiles: (): string[] => withFiles.all(),
    /** The team that has its files in this directory. */
    inDirectory: (directory: string): string | null => inDirectory.get(directory) ?? null,
    memberIn: (laneId: string): Member | null => ofLane.get(laneId) ?? null,
    /** Rewrites all of its members, which are few. */
    save(team: Team): void {
      const { members, ...row } = team;
      save.run(row);
      removeMembers.run(team.name);
      for (const [position, member] of members.entries()) addMember.run({ ...member, position });
    },
    remove: (name: string): void => void remove.run(name),
  };
}

export function directoryTaken(directory: string, by: string): AppError {
  return new AppError({
    code: "directory_taken",
    message: `The files in ${directory} belong to team "${by}".`,
    hint: `Use that team, or remove it first: \`waybill teams delete ${by}\`.`,
  });
}

export function laneTaken({ lane }: NewMember, by: Pick<Member, "team" | "name">): AppError {
  return new AppError({
    code: "lane_taken",
    message: `Lane "${lane}" belongs to ${by.name} in team "${by.team}".`,
    hint: "Give each member its own lane.",
  });
}
