/** `waybill lanes`: lists lanes, and changes one. */
import { resolve } from "node:path";
import type { Lane, NewLane, WaybillClient } from "../../client/index.ts";
import { nearest } from "../../nearest.ts";
import { runtimeKinds } from "../../runtimes/kinds.ts";
import type { Command, CommandContext, CommandInput } from "../command.ts";
import { flagOption, printResult, textOption } from "../command.ts";
import { withDaemon } from "../connect.ts";
import { usageError } from "../errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { laneLines, laneTable, noticeLines } from "../output/lane-lines.ts";
import { terminalWidth } from "../output/terminal.ts";
import { withoutNulls } from "../without-nulls.ts";

const subcommands = ["show", "add", "remove", "pause", "resume", "abort", "release", "adopt"] as const;
const contracts = ["text", "tool"] as const;

export const lanes: Command = {
  name: "lanes",
  summary: "list lanes; add, pause, resume, abort, release or remove one, or give it a session",
  help: {
    usage: `                        all lanes, and what each is doing
show ID                 one lane
add ID [OPTIONS]        add a lane, or change one
remove ID [--force]     remove it
pause ID [--reason R]   send nothing until it is resumed
resume ID
abort ID                stop the running turn; its delivery is cancelled
release ID              free a lane that waits for something that Waybill cannot see
adopt ID SESSION        continue in a session that the agent program has already`,
    description: "The options are for `add`, unless they say otherwise.",
    json: 'one line: {"lanes":[…]}, or the lane',
    examples: `waybill lanes
waybill lanes add chat --directory ~/project --model sonnet
waybill lanes adopt chat ses_0123456789abcdef
waybill lanes pause chat --reason "until the release is out"`,
  },
  options: {
    directory: textOption("DIR", "where the agent works (default: here; a lane that exists stays where it is)"),
    name: textOption("NAME", "a name for people"),
    team: textOption("T", "the team of its member"),
    member: textOption("M", "the member of the team that works in it"),
    runtime: textOption("R", `${runtimeKinds.join(", ")} (default: as configured)`, runtimeKinds),
    agent: textOption("A", "the agent of the runtime"),
    model: textOption("M", "the model of the runtime"),
    contract: textOption("C", "text: the final text is the answer; tool: a reply is sent with a tool", contracts),
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
    if (subcommand === undefined) throw usageError(`unknown: lanes ${name}`, "lanes", nearest(name, subcommands));
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
  if (lanes.length === 0) printNote("There are no lanes. Add one: waybill lanes add ID --directory DIR");
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
      return done(await client.abortLane(id), "was told to stop");
    case "release":
      return done(await client.releaseLane(id), "is free again");
    case "adopt": {
      const lane = await client.adoptSession(id, input.positionals[2] ?? "");
      return done(lane, `goes on in session ${lane.sessionId} from the next message on`);
    }
    case "remove":
      await client.removeLane(id, { force: input.flag("force") });
      return printResult(context, { removed: id }, `Lane ${id} is gone.`);
    default:
      return subcommand satisfies never;
  }
}

/** A lane that exists keeps what is not given: its agent must not find itself in another directory. */
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
  // A new agent replaces the old model as well, and the other way round.
  const replaced = given.agent === undefined && given.model === undefined ? {} : { agent: null, model: null };
  return { directory: resolve("."), ...withoutNulls({ ...kept, ...replaced }), ...withoutNulls(given), id };
}

function settingsOf({ displayName, team, member, runtime, directory, agent, model, contract }: Lane) {
  const known = runtimeKinds.find((kind) => kind === runtime) as NewLane["runtime"];
  return { displayName, team, member, runtime: known, directory, agent, model, contract };
}
