/** `waybill teams`: lists and changes teams and their members. */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Member, NewMember, Team, WaybillClient } from "../../../client/index.ts";
import { WaybillError } from "../../../client/index.ts";
import { memberColors, memberKinds } from "../../../core/team/team.ts";
import { expandPath } from "../../../platform/home.ts";
import { nearest } from "../../../platform/nearest.ts";
import type { Command, CommandContext, CommandInput } from "../../command.ts";
import { flagOption, printResult, textOption, withoutNulls } from "../../command.ts";
import { withDaemon } from "../../connect.ts";
import { exitCodes, usageError } from "../../errors.ts";
import { oneLine } from "../../output/format.ts";
import type { StyledText } from "../../output/table.ts";
import { fieldLines, table } from "../../output/table.ts";
import type { Paint } from "../../output/terminal.ts";
import { terminalWidth } from "../../output/terminal.ts";

const ofTeam = ["show", "create", "delete", "pause", "resume", "stop"] as const;
const ofMember = ["add", "remove", "shutdown", "token"] as const;
const subcommands = [...ofTeam, ...ofMember, "import"] as const;
const contracts = ["text", "tool"] as const;

export const teams: Command = {
  name: "teams",
  summary: "list, create, import, pause and stop teams, and manage their members",
  help: {
    usage: `                          list all teams and what their members are doing
show TEAM                 show one team
create TEAM [--name N]    create a team, or change its display name
delete TEAM               delete it; its members' lanes stay
pause TEAM                send nothing to its members until it is resumed
resume TEAM               send messages again
stop TEAM                 like pause, and also stop the running turns
add TEAM MEMBER [OPTIONS] add a member, or change one
remove TEAM MEMBER        remove it from the team; its lane stays
shutdown TEAM MEMBER      approve its shutdown: it gets no messages until it is added again
token TEAM MEMBER         print a native member's token, for \`waybill mcp\`
import DIR [OPTIONS]      follow the inbox files of a team, such as ~/.claude/teams/NAME`,
    description: `Waybill runs a member of kind lane, in the lane of the same name unless --lane names another one. A native member
runs outside Waybill and uses \`waybill mcp\`. A person reads \`waybill inbox\`. Messages to a paused or stopped team
wait.

The members of an imported team write to each other in files. Waybill runs the members given with --run: it delivers
the rows in their inboxes and marks them as read once they are answered. It writes messages to all other members into
their inbox files.`,
    json: 'one line: {"teams":[…]}, the team, or {"token":…}',
    examples: `waybill teams create core
waybill teams add core tom --lane backend --role "backend developer" --contract tool
waybill teams add core anna --kind person --role lead
waybill send --team core --member tom "Is the build green?"
waybill teams import ~/.claude/teams/core --run team-lead=lead --run tom=backend`,
  },
  options: {
    name: textOption("NAME", "for `create` and `add`: a display name"),
    kind: textOption("KIND", "for `add`: lane (default), native or person", memberKinds),
    lane: textOption("ID", "for `add`: the lane that the member works in", "lanes"),
    role: textOption("ROLE", "for `add`: its job in the team; `lead` makes it the lead"),
    color: textOption("COLOR", `for \`add\`: ${memberColors.join(", ")}`, memberColors),
    contract: textOption(
      "C",
      "for `add`: text: the final text is the answer; tool: replies are sent with a tool",
      contracts,
    ),
    team: textOption("TEAM", "for `import`: the team's name in Waybill (default: its own name)"),
    run: { ...textOption("MEMBER=LANE", "for `import`: a member that Waybill runs; may be repeated"), multiple: true },
    join: flagOption("for `import`: let the agents of a Claude Code session answer Waybill (edits its config.json)"),
    file: textOption("PATH", "for `token`: write it to this file, readable only by you"),
  },
  subcommands,
  maxArguments: 3,
  run(input, context) {
    const [name, , member] = input.positionals;
    if (name === undefined) return withDaemon(context, (client) => list(client, context));
    const subcommand = subcommands.find((one) => one === name);
    if (subcommand === undefined)
      throw usageError(`unknown subcommand: teams ${name}`, "teams", nearest(name, subcommands));
    if (subcommand === "import") return withDaemon(context, (client) => importTeam(input, client, context));
    const team = input.argument(1, `teams ${name} needs a team name`);
    const isOfMember = ofMember.some((one) => one === subcommand);
    if (isOfMember) input.argument(2, `teams ${name} needs a member name`);
    else if (member !== undefined) throw usageError(`too many arguments: ${member}`, "teams");
    return withDaemon(context, (client) => runSubcommand(subcommand, team, member ?? "", input, client, context));
  },
};

async function list(client: WaybillClient, context: CommandContext): Promise<number> {
  const found = await client.teams();
  const lines = teamTable(found.teams, { width: terminalWidth(), paint: context.paint });
  printResult(context, found, found.teams.length === 0 ? [] : lines);
  if (context.json) return exitCodes.ok;
  if (found.teams.length === 0) context.printNote("There are no teams yet. Create one: waybill teams create NAME");
  for (const line of noticeLines(found.teams)) context.printNote(line);
  return exitCodes.ok;
}

async function importTeam(input: CommandInput, client: WaybillClient, context: CommandContext): Promise<number> {
  const directory = resolve(
    expandPath(input.argument(1, "the directory of the team is missing"), process.cwd(), process.env),
  );
  const [, , extra] = input.positionals;
  if (extra !== undefined) throw usageError(`too many arguments: ${extra}`, "teams");
  const lanes = Object.fromEntries(input.values("run").map(memberAndLane));
  const team = await client.importTeam({
    directory,
    lanes,
    join: input.flag("join"),
    ...withoutNulls({ name: input.value("team") }),
  });
  const format = { width: terminalWidth(), paint: context.paint };
  return printResult(context, team, [
    `Waybill follows team ${team.name} in ${directory}.`,
    "",
    ...teamLines(team, format),
  ]);
}

function memberAndLane(written: string): [string, string] {
  const [member, lane, more] = written.split("=");
  if (!member || !lane || more !== undefined) throw usageError(`--run must be MEMBER=LANE, not ${written}`, "teams");
  return [member, lane];
}

async function runSubcommand(
  subcommand: Exclude<(typeof subcommands)[number], "import">,
  team: string,
  member: string,
  input: CommandInput,
  client: WaybillClient,
  context: CommandContext,
): Promise<number> {
  const done = (changed: Team, result: string) => printResult(context, changed, result);
  switch (subcommand) {
    case "show": {
      const found = await client.team(team);
      const format = { width: terminalWidth(), paint: context.paint };
      return printResult(context, found, teamLines(found, format));
    }
    case "create": {
      const displayName = input.value("name") ?? (await teamIfKnown(team, client))?.displayName ?? null;
      return done(await client.putTeam(team, { displayName }), `Team ${team} is set up.`);
    }
    case "delete":
      await client.removeTeam(team);
      return printResult(context, { removed: team }, `Team ${team} is deleted.`);
    case "pause":
      return done(await client.pauseTeam(team), `Team ${team} is paused; messages to its members wait.`);
    case "resume":
      return done(await client.resumeTeam(team), `Team ${team} is resumed.`);
    case "stop":
      return done(await client.stopTeam(team), `Team ${team} is stopped; messages to its members wait.`);
    case "add": {
      const changed = await client.putMember(team, member, await memberSettings(team, member, input, client));
      return done(changed, `${member} is now a member of team ${changed.name}.`);
    }
    case "remove":
      return done(await client.removeMember(team, member), `${member} is no longer a member of team ${team}.`);
    case "shutdown":
      return done(await client.shutDownMember(team, member), `${member} is shut down.`);
    case "token":
      return printToken(await client.memberToken(team, member), input.value("file"), context);
    default:
      return subcommand satisfies never;
  }
}

function printToken({ token }: { token: string }, file: string | undefined, context: CommandContext): number {
  if (file === undefined) return printResult(context, { token }, token);
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return printResult(context, { file }, `The token is in ${file}: waybill mcp --token-file ${file}`);
}

async function teamIfKnown(team: string, client: WaybillClient): Promise<Team | null> {
  try {
    return await client.team(team);
  } catch (error) {
    if (error instanceof WaybillError && error.code === "team_unknown") return null;
    throw error;
  }
}

/** An existing member keeps settings that are not given. */
async function memberSettings(
  team: string,
  member: string,
  input: CommandInput,
  client: WaybillClient,
): Promise<NewMember> {
  const existing = (await teamIfKnown(team, client))?.members.find(({ name }) => name === member);
  const given = {
    kind: input.choice("kind", memberKinds),
    lane: input.value("lane"),
    displayName: input.value("name"),
    role: input.value("role"),
    color: input.choice("color", memberColors),
    contract: input.choice("contract", contracts),
  };
  const kind = given.kind ?? existing?.kind ?? "lane";
  const kept = existing?.kind === kind ? keptSettings(existing) : {};
  return { ...kept, ...withoutNulls(given), kind };
}

function keptSettings({ lane, displayName, role, color }: Member): Partial<NewMember> {
  return withoutNulls({ lane, displayName, role, color });
}

type Format = { width: number; paint: Paint };

const head = ["TEAM", "MEMBER", "KIND", "DOING", "ROLE", "LANE"];

function teamTable(teams: readonly Team[], format: Format): string[] {
  return table(
    head,
    teams.flatMap((team) => {
      const rows = team.members.map((member) => memberRow(team, member));
      return rows.length > 0 ? rows : [[{ text: team.name, style: "bold" } as const, "", "", stateOf(team), "", ""]];
    }),
    format,
  );
}

/** One line for each reason why a team's files cannot be used. */
function noticeLines(teams: readonly Team[]): string[] {
  return teams.flatMap(({ name, notices }) => notices.map(({ message }) => `${name}: ${oneLine(message)}`));
}

function teamLines(team: Team, format: Format): string[] {
  const { name, displayName, state, members, directory, notices } = team;
  const fields = fieldLines(
    [
      ["team", format.paint("bold", oneLine(name))],
      ["name", displayName === null ? null : oneLine(displayName)],
      ["state", state],
      ["files", directory === null ? null : oneLine(directory)],
      ["problems", notices.map(({ message }) => format.paint("yellow", oneLine(message))).join("\n") || null],
    ],
    format.paint,
  );
  return members.length === 0 ? [...fields, "", "It has no members."] : [...fields, "", ...teamTable([team], format)];
}

function memberRow(team: Team, { name, kind, state, role, lane }: Member) {
  const isOver = state === "terminated" || state === "offline" || state === "paused" || state === "blocked";
  const doing: StyledText = isOver ? { text: state, style: "yellow" } : { text: state, style: "green" };
  return [{ text: team.name, style: "bold" } as const, name, kind, doing, role ?? "", lane ?? ""];
}

function stateOf({ state }: Team): StyledText {
  return state === "active" ? { text: "no members", style: "dim" } : { text: state, style: "yellow" };
}
