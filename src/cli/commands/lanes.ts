/** `waybill lanes`: lists and changes lanes. */
import { resolve } from "node:path";
import type { Lane, NewLane, WaybillClient } from "../../client/index.ts";
import { nearest } from "../../platform/nearest.ts";
import { runtimeKinds } from "../../runtimes/registry.ts";
import type { Command, CommandContext, CommandInput } from "../command.ts";
import { flagOption, printResult, textOption, withoutNulls } from "../command.ts";
import { withDaemon } from "../connect.ts";
import { exitCodes, usageError } from "../errors.ts";
import { ago, oneLine } from "../output/format.ts";
import type { StyledText } from "../output/table.ts";
import { fieldLines, table } from "../output/table.ts";
import type { Paint } from "../output/terminal.ts";
import { terminalWidth } from "../output/terminal.ts";

const subcommands = ["show", "add", "remove", "pause", "resume", "abort", "release", "adopt"] as const;
const contracts = ["text", "tool"] as const;

export const lanes: Command = {
  name: "lanes",
  summary: "list, add, change, pause and remove lanes",
  help: {
    usage: `                        list all lanes and what each one is doing
show ID                 show one lane
add ID [OPTIONS]        add a lane, or change one
remove ID [--force]     remove it
pause ID [--reason R]   send nothing until it is resumed
resume ID               send messages again
abort ID                stop the running turn and cancel its delivery
release ID              free a lane that waits for something that Waybill cannot see
adopt ID SESSION        continue in an existing session of the agent program`,
    description: "Options apply to `add` unless they say otherwise.",
    json: 'one line: {"lanes":[…]}, or the lane',
    examples: `waybill lanes
waybill lanes add chat --directory ~/project --model sonnet
waybill lanes adopt chat ses_0123456789abcdef
waybill lanes pause chat --reason "until the release is out"`,
  },
  options: {
    directory: textOption("DIR", "where the agent works (default for a new lane: the current directory)"),
    name: textOption("NAME", "a display name"),
    team: textOption("T", "the team of the member that works in it"),
    member: textOption("M", "the team member that works in it"),
    runtime: textOption("R", `${runtimeKinds.join(", ")} (default: as configured)`, runtimeKinds),
    agent: textOption("A", "the agent, as the runtime names it"),
    model: textOption("M", "the model, as the runtime names it"),
    contract: textOption("C", "text: the final text is the answer; tool: replies are sent with a tool", contracts),
    force: flagOption("for `remove`: cancel its open deliveries"),
    reason: textOption("R", "for `pause`: why"),
  },
  subcommands,
  maxArguments: 3,
  argumentChoices: "lanes",
  run(input, context) {
    const [name, , session] = input.positionals;
    if (name === undefined) return withDaemon(context, (client) => list(client, context));
    const subcommand = subcommands.find((one) => one === name);
    if (subcommand === undefined)
      throw usageError(`unknown subcommand: lanes ${name}`, "lanes", nearest(name, subcommands));
    const id = input.argument(1, `lanes ${name} needs the id of a lane`);
    if (subcommand === "adopt") input.argument(2, "lanes adopt needs the id of a session");
    else if (session !== undefined) throw usageError(`too many arguments: ${session}`, "lanes");
    return withDaemon(context, (client) => runSubcommand(subcommand, id, input, client, context));
  },
};

async function list(client: WaybillClient, context: CommandContext): Promise<number> {
  const { json, printNote, paint } = context;
  const { lanes } = await client.lanes();
  printResult(context, { lanes }, lanes.length === 0 ? [] : laneTable(lanes, { width: terminalWidth(), paint }));
  if (json) return exitCodes.ok;
  if (lanes.length === 0) printNote("There are no lanes yet. Add one: waybill lanes add ID --directory DIR");
  for (const line of noticeLines(lanes)) printNote(line);
  return exitCodes.ok;
}

async function runSubcommand(
  subcommand: (typeof subcommands)[number],
  id: string,
  input: CommandInput,
  client: WaybillClient,
  context: CommandContext,
): Promise<number> {
  const done = (lane: Lane, result: string) => printResult(context, lane, `Lane ${lane.id} ${result}.`);
  switch (subcommand) {
    case "show": {
      const lane = await client.lane(id);
      return printResult(context, lane, laneLines(lane, context.paint, Date.now()));
    }
    case "add":
      return done(await client.addLane(await laneSettings(id, input, client)), "is set up");
    case "pause":
      return done(await client.pauseLane(id, input.value("reason")), "is paused");
    case "resume":
      return done(await client.resumeLane(id), "is resumed");
    case "abort":
      return done(await client.abortLane(id), "is stopping its turn");
    case "release":
      return done(await client.releaseLane(id), "is free again");
    case "adopt": {
      const lane = await client.adoptSession(id, input.positionals[2] ?? "");
      return done(lane, `uses session ${lane.sessionId} from its next message on`);
    }
    case "remove":
      await client.removeLane(id, { force: input.flag("force") });
      return printResult(context, { removed: id }, `Lane ${id} is removed.`);
    default:
      return subcommand satisfies never;
  }
}

/** An existing lane keeps settings that are not given; above all, its agent must not end up in another directory. */
async function laneSettings(id: string, input: CommandInput, client: WaybillClient): Promise<NewLane> {
  const directory = input.value("directory");
  const given = {
    displayName: input.value("name"),
    team: input.value("team"),
    member: input.value("member"),
    runtime: input.choice("runtime", runtimeKinds) as NewLane["runtime"],
    directory: directory === undefined ? undefined : resolve(directory),
    agent: input.value("agent"),
    model: input.value("model"),
    contract: input.choice("contract", contracts),
  };
  const existing = (await client.lanes()).lanes.find((lane) => lane.id === id);
  const kept = existing ? settingsOf(existing) : {};
  // A new agent also replaces the old model, and vice versa.
  const replaced = given.agent === undefined && given.model === undefined ? {} : { agent: null, model: null };
  return { directory: resolve("."), ...withoutNulls({ ...kept, ...replaced }), ...withoutNulls(given), id };
}

function settingsOf({ displayName, team, member, runtime, directory, agent, model, contract }: Lane) {
  const known = runtimeKinds.find((kind) => kind === runtime) as NewLane["runtime"];
  return { displayName, team, member, runtime: known, directory, agent, model, contract };
}

function laneTable(lanes: readonly Lane[], format: { width: number; paint: Paint }): string[] {
  return table(
    ["LANE", "MEMBER", "RUNTIME", "DOING", "WAITING", "DIRECTORY"],
    lanes.map((lane) => [
      { text: lane.id, style: "bold" },
      memberOf(lane),
      lane.runtime,
      activity(lane),
      lane.waiting === 0 ? "" : String(lane.waiting),
      lane.directory,
    ]),
    format,
  );
}

/** One line per notice, since a notice about a runtime concerns all of its lanes. */
function noticeLines(lanes: readonly Lane[]): string[] {
  const laneIds = new Map<string, string[]>();
  for (const { id, notices } of lanes) {
    for (const { message } of notices) laneIds.set(message, [...(laneIds.get(message) ?? []), id]);
  }
  return [...laneIds].map(([message, ids]) => `${ids.join(", ")}: ${oneLine(message)}`);
}

function laneLines(lane: Lane, paint: Paint, now: number): string[] {
  const fields: [string, string | null][] = [
    ["name", lane.displayName],
    ["member", memberOf(lane) || null],
    ["doing", activity(lane).text],
    ["waiting", lane.waiting === 0 ? null : `${lane.waiting}`],
    ["notice", lane.notices.map(({ message }) => message).join(" ") || null],
    ["runtime", `${lane.runtime}${lane.runtimeReady ? "" : " (not ready)"}`],
    ["directory", lane.directory],
    ["agent", lane.agent],
    ["model", lane.model],
    ["contract", lane.contract],
    ["session", lane.sessionId === null ? null : `${lane.sessionId} (generation ${lane.generation})`],
    ["used today", usedToday(lane)],
    ["added", ago(lane.createdAt, now)],
  ];
  // Names and reasons are untrusted text.
  const safe = fields.map(([name, value]) => [name, value === null ? null : oneLine(value)] as const);
  return fieldLines([["lane", paint("bold", oneLine(lane.id))], ...safe], paint);
}

function memberOf({ member, team }: Lane): string {
  return member === null ? "" : `${member}${team === null ? "" : ` of ${team}`}`;
}

function usedToday({ usage }: Lane): string | null {
  if (usage === null) return null;
  const cost = usage.cost === 0 ? "" : `, $${usage.cost.toFixed(usage.cost < 1 ? 4 : 2)}`;
  return `${usage.tokens} tokens${cost}`;
}

function activity({ pausedReason, runtimeReady, holder, waitReason }: Lane): StyledText {
  if (pausedReason !== null) return { text: `paused (${pausedReason})`, style: "yellow" };
  if (holder !== null) return { text: `${holder.status}: ${holder.messageId}`, style: "cyan" };
  if (!runtimeReady) return { text: "its runtime is not running", style: "red" };
  return waitReason === null ? { text: "free" } : { text: `waits (${waitReason})`, style: "yellow" };
}
