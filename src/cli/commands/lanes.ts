/** `waybill lanes`: where agents work, and what a person does with a lane. */
import { resolve } from "node:path";
import type { Lane, NewLane, WaybillClient } from "../../client/index.ts";
import type { Command, CommandContext, CommandInput } from "../command.ts";
import { refuseMore } from "../command.ts";
import { talk } from "../connect.ts";
import { exitCodes } from "../exit-codes.ts";
import { laneLines, laneTable, noticeLines } from "../output/lane-lines.ts";
import { screenWidth } from "../output/screen.ts";
import { checkedChoice, unknownVerb, usageError } from "../usage-error.ts";

const help = `Usage: waybill lanes                         all lanes, and what each is doing
       waybill lanes show ID                 one lane
       waybill lanes add ID [OPTIONS]        make a lane, or change what is said of one
       waybill lanes remove ID [--force]     remove it; with --force its open deliveries end as cancelled
       waybill lanes pause ID [--reason R]   send nothing until it is resumed
       waybill lanes resume ID
       waybill lanes abort ID                stop the running turn; its delivery is cancelled
       waybill lanes release ID              give back a lane that waits for what nobody can see or write
       waybill lanes adopt ID SESSION        go on in a session that the agent program has already

Options of add:
  --directory DIR    where the agent works (default: here; a lane that is there stays where it is)
  --name NAME        a name for people
  --team T --member M
  --runtime R        stub, opencode, claude or pi (default: as configured)
  --agent A --model M
  --contract C       text: the final text is the answer; tool: a reply is sent with a tool

  --json    one line: {"lanes":[…]}, or the lane

Exit codes: 0 done, 5 no daemon runs, 2 not understood, 1 any other error.

Examples:
  waybill lanes
  waybill lanes add chat --directory ~/project --model sonnet
  waybill lanes adopt chat ses_0123456789abcdef
  waybill lanes pause chat --reason "until the release is out"`;

const verbs = ["show", "add", "remove", "pause", "resume", "abort", "release", "adopt"] as const;
const runtimes = ["stub", "opencode", "claude", "pi"] as const;
const contracts = ["text", "tool"] as const;

export const lanes: Command = {
  name: "lanes",
  summary: "list lanes; add, pause, resume, abort, release or remove one, or give it a session",
  help,
  options: {
    directory: { type: "string" },
    name: { type: "string" },
    team: { type: "string" },
    member: { type: "string" },
    runtime: { type: "string", choices: runtimes },
    agent: { type: "string" },
    model: { type: "string" },
    contract: { type: "string", choices: contracts },
    force: { type: "boolean" },
    reason: { type: "string" },
  },
  verbs,
  words: "lanes",
  run(input, context) {
    const [verb, id, session] = input.positionals;
    refuseMore(input, verb === "adopt" ? 3 : 2, "lanes");
    if (verb === undefined) return talk(context, (client) => list(client, context));
    const known = verbs.find((one) => one === verb);
    if (known === undefined) throw unknownVerb("lanes", verb, verbs);
    if (id === undefined) throw usageError(`lanes ${verb} needs the id of a lane`, "lanes");
    if (known === "adopt" && session === undefined) throw usageError("lanes adopt needs the id of a session", "lanes");
    return talk(context, (client) => act(known, id, input, client, context));
  },
};

async function list(client: WaybillClient, { json, print, remark, paint }: CommandContext): Promise<number> {
  const { lanes } = await client.lanes();
  if (json) print(JSON.stringify({ lanes }));
  else if (lanes.length === 0) remark("There are no lanes. Add one: waybill lanes add ID --directory DIR");
  else {
    for (const line of laneTable(lanes, { width: screenWidth(), paint })) print(line);
    for (const line of noticeLines(lanes)) remark(line);
  }
  return exitCodes.ok;
}

async function act(
  verb: (typeof verbs)[number],
  id: string,
  input: CommandInput,
  client: WaybillClient,
  context: CommandContext,
): Promise<number> {
  switch (verb) {
    case "show":
      return done(await client.lane(id), null, context);
    case "add":
      return done(await client.addLane(await settings(id, input, client)), "is there", context);
    case "pause":
      return done(await client.pauseLane(id, input.value("reason")), "is paused", context);
    case "resume":
      return done(await client.resumeLane(id), "goes on", context);
    case "abort":
      return done(await client.abortLane(id), "was told to stop", context);
    case "release":
      return done(await client.releaseLane(id), "is free again", context);
    case "adopt": {
      const lane = await client.adoptSession(id, input.positionals[2] ?? "");
      return done(lane, `goes on in session ${lane.sessionId} from the next message on`, context);
    }
    case "remove":
      await client.removeLane(id, { force: input.flag("force") });
      context.print(context.json ? JSON.stringify({ removed: id }) : `Lane ${id} is gone.`);
      return exitCodes.ok;
    default:
      return verb satisfies never;
  }
}

function done(lane: Lane, words: string | null, { json, print, paint }: CommandContext): number {
  if (json) print(JSON.stringify(lane));
  else if (words !== null) print(`Lane ${lane.id} ${words}.`);
  else for (const line of laneLines(lane, paint, Date.now())) print(line);
  return exitCodes.ok;
}

/** What is not said stays as it is in a lane that is there already: its agent must not find itself in another place. */
async function settings(id: string, input: CommandInput, client: WaybillClient): Promise<NewLane> {
  const choice = <T extends string>(option: string, choices: readonly T[]) =>
    checkedChoice(input.value(option), choices, { option: `--${option}`, command: "lanes" });
  const directory = input.value("directory");
  const given = {
    displayName: input.value("name"),
    team: input.value("team"),
    member: input.value("member"),
    runtime: choice("runtime", runtimes),
    directory: directory === undefined ? undefined : resolve(directory),
    agent: input.value("agent"),
    model: input.value("model"),
    contract: choice("contract", contracts),
  };
  const there = (await client.lanes()).lanes.find((lane) => lane.id === id);
  const kept = there ? pick(there) : {};
  // Whoever chooses an agent does not want the old model, and the other way round.
  const choosesAnew = given.agent !== undefined || given.model !== undefined;
  const old = choosesAnew ? { ...kept, agent: undefined, model: undefined } : kept;
  return { directory: resolve("."), ...said(old), ...said(given), id };
}

function pick({ displayName, team, member, runtime, directory, agent, model, contract }: Lane) {
  const known = runtimes.find((one) => one === runtime);
  return { displayName, team, member, runtime: known, directory, agent, model, contract };
}

type Said<T> = { [K in keyof T]?: NonNullable<T[K]> };

function said<T extends object>(fields: T): Said<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as Said<T>;
}
