/** The teams of a configuration file, with every name checked. */
import { dirname } from "node:path";
import type { NewMember, NewTeam } from "../../core/team/team.ts";
import { isReserved, nameProblem } from "../../core/team/team.ts";
import { expandPath } from "../../platform/home.ts";
import { resolvedPath } from "../../platform/inside.ts";
import { badSetting } from "./config-error.ts";
import type { ReadFile } from "./read-file.ts";
import type { ConfigFile } from "./settings.ts";

type ConfigMember = Omit<NewMember, "createdAt">;
export type ConfigTeam = Omit<NewTeam, "createdAt"> & { members: readonly ConfigMember[] };

type FileTeam = NonNullable<ConfigFile["teams"]>[string];

export function configuredTeams(
  { path: file, content }: ReadFile,
  lanes: ReadonlySet<string>,
  env: NodeJS.ProcessEnv,
): ConfigTeam[] {
  const owners = new Map<string, string>();
  const directories = new Map<string, string>();
  return Object.entries<FileTeam>(content.teams ?? {}).map(([name, { displayName = null, directory, members }]) => {
    refuseName(file, `teams.${name}`, name, null);
    const checked = Object.entries(members).map(([member, settings]): ConfigMember => {
      const { kind = "lane", lane = null, displayName: shown = null, role = null, color = null } = settings;
      const key = `teams.${name}.members.${member}`;
      refuseName(file, key, member, role);
      if (shown !== null && isReserved(shown))
        throw wrong(file, `${key}.displayName`, `is "${shown}", which is already taken`);
      if (kind === "lane")
        takeLane({ file, key: `${key}.lane`, lane, lanes, owners, whose: `${member} of team ${name}` });
      else if (lane !== null)
        throw wrong(file, `${key}.lane`, `is "${lane}", but a member of kind ${kind} has no lane`);
      return { team: name, name: member, kind, lane, displayName: shown, role, color };
    });
    if (directory === undefined) return { name, displayName, members: checked };
    const resolved = resolvedPath(expandPath(directory, dirname(file), env));
    const other = directories.get(resolved);
    if (other !== undefined) throw wrong(file, `teams.${name}.directory`, `is already the directory of team ${other}`);
    directories.set(resolved, name);
    return { name, displayName, directory: resolved, members: checked };
  });
}

type Claim = {
  file: string;
  key: string;
  lane: string | null;
  lanes: ReadonlySet<string>;
  owners: Map<string, string>;
  whose: string;
};

function takeLane({ file, key, lane, lanes, owners, whose }: Claim): void {
  const known = lanes.size === 0 ? "There are no lanes in the file." : `Its lanes: ${[...lanes].join(", ")}.`;
  if (lane === null) throw wrong(file, key, "is required for a member of kind lane", known);
  if (!lanes.has(lane)) throw wrong(file, key, `is "${lane}", but no lane in the file has that id`, known);
  const other = owners.get(lane);
  if (other !== undefined) {
    throw wrong(file, key, `is "${lane}", which is already the lane of ${other}`, "Give each member its own lane.");
  }
  owners.set(lane, whose);
}

function refuseName(file: string, key: string, name: string, role: string | null): void {
  const problem = nameProblem(name, role);
  if (problem !== null) throw wrong(file, key, `cannot be a name: it ${problem}`, "Choose another name.");
}

function wrong(file: string, key: string, reason: string, hint?: string) {
  return badSetting({ kind: "file", file, key }, reason, hint);
}
