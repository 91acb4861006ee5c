/** `waybill demo`: a few messages on their way to a scripted agent, with what the ledger writes down about each. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError, messageOf } from "../app-error.ts";
import { systemClock } from "../clock.ts";
import type { DeliveryEvent } from "../delivery/delivery-event.ts";
import type { DeliveryRecord } from "../delivery/record.ts";
import { isOutstanding } from "../delivery/record.ts";
import { readJournal } from "../runtimes/stub/journal.ts";
import { StubRuntime } from "../runtimes/stub/stub-runtime.ts";
import type { NewLane } from "../store/port.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import type { Command, CommandContext } from "../transports/cli/command.ts";
import { refuseMore } from "../transports/cli/command.ts";
import type { Step } from "../transports/cli/steps.ts";
import { stepWords } from "../transports/cli/steps.ts";
import { printable } from "../transports/cli/terminal.ts";
import { count } from "../transports/cli/words.ts";
import type { Waybill } from "./compose.ts";
import { startWaybill } from "./compose.ts";
import type { DemoScene } from "./demo-script.ts";
import { demoPolicy, demoScripts, scenes } from "./demo-script.ts";
import { withSwitches } from "./switches.ts";

const help = `Usage: waybill demo [--json]

Sends five messages to a scripted agent and shows what the ledger knows of each, as it happens. It needs no keys,
no network and no configuration, and leaves nothing behind.

Options:
  --json    one line of JSON for each step, and one for each outcome`;

const speaker = { chat: "agent", teammate: "tom" };

export const demo: Command = {
  name: "demo",
  summary: "watch a few messages on their way to a scripted agent",
  help,
  options: {},
  run(input, context) {
    refuseMore(input, 0, "demo");
    return playAll(context);
  },
};

async function playAll(context: CommandContext): Promise<number> {
  const directory = temporaryDirectory();
  const journalPath = join(directory, "agent.jsonl");
  const waybill = await startWaybill({
    store: openSqliteStore({ path: join(directory, "waybill.db") }),
    policy: withSwitches(demoPolicy, context.env),
    lanes: [demoLane("chat", directory), demoLane("teammate", directory)],
    runtimes: (postMessage) => [
      new StubRuntime({ journalPath, clock: systemClock, scripts: demoScripts, postMessage }),
    ],
  });
  try {
    if (!context.json) introduce(context);
    for (const scene of scenes) {
      if ((await play(scene, waybill, context)) === "interrupted") return 130;
    }
    const prompts = readJournal(journalPath).filter((entry) => entry.type === "prompt").length;
    if (!context.json) conclude(prompts, context);
    return 0;
  } finally {
    await waybill.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function temporaryDirectory(): string {
  try {
    return mkdtempSync(join(tmpdir(), "waybill-demo-"));
  } catch (cause) {
    throw new AppError({
      code: "no_temporary_directory",
      message: `No temporary directory could be made in ${tmpdir()}: ${messageOf(cause)}.`,
      hint: "Point TMPDIR at a directory that exists and is writable.",
      cause,
    });
  }
}

function demoLane(id: DemoScene["lane"], directory: string): NewLane {
  const contract = id === "chat" ? "text" : "tool";
  const member = speaker[id];
  const settings = { displayName: null, team: null, runtime: "stub", agent: null, model: null, createdAt: Date.now() };
  return { id, member, directory, contract, ...settings };
}

function introduce({ print, paint }: CommandContext): void {
  print(paint("bold", "Waybill: a message counts as delivered when the agent acted on it."));
  print("The agent below follows a script, and waits are seconds instead of minutes.");
}

function conclude(prompts: number, { print, paint }: CommandContext): void {
  print("");
  print(paint("bold", `${scenes.length} messages, ${prompts} prompts by the agent's own log, nothing lost.`));
}

/** Sends the scene's message and shows every step until its delivery is over. */
function play(scene: DemoScene, waybill: Waybill, context: CommandContext): Promise<"over" | "interrupted"> {
  const { print, paint, json, interrupted } = context;
  const started = Date.now();
  if (!json) {
    print("");
    print(paint("bold", scene.title));
    print(`  ${paint("cyan", "you")}: ${scene.message.text}`);
  }
  return new Promise((resolve, reject) => {
    const stop = (outcome: "over" | "interrupted") => {
      unsubscribe();
      interrupted.removeEventListener("abort", onAbort);
      resolve(outcome);
    };
    const onAbort = () => stop("interrupted");
    const unsubscribe = waybill.ledger.onChange(({ record, events }) => {
      if (record.messageId !== scene.message.id) return;
      for (const event of events) showStep(event, record, Date.now() - started, context);
      if (isOver(record)) showEnd(scene, record, waybill, context).then(() => stop("over"), reject);
    });
    interrupted.addEventListener("abort", onAbort, { once: true });
    waybill.send({ ...scene.message, to: { lane: scene.lane }, from: "you", source: "cli" }).catch(reject);
    if (interrupted.aborted) onAbort();
  });
}

function isOver(record: DeliveryRecord): boolean {
  return ["responded", "failed_terminal", "cancelled"].includes(record.status) && !isOutstanding(record);
}

function showStep(
  event: DeliveryEvent,
  record: DeliveryRecord,
  ms: number,
  { print, paint, json }: CommandContext,
): void {
  if (json) {
    const { messageId, attempts } = record;
    print(JSON.stringify({ messageId, event: event.type, attempts, reason: "reason" in event ? event.reason : null }));
    return;
  }
  const words = stepWords(stepOf(event));
  if (words) print(`  ${paint("dim", `${(ms / 1000).toFixed(1)}s`.padStart(6))}  ${words}`);
}

function stepOf(event: DeliveryEvent): Step {
  return {
    event: event.type,
    reason: "reason" in event ? event.reason : null,
    attempt: event.type === "submit" ? event.attempt.number : 0,
    waitMs: event.type === "retry_scheduled" ? event.lookAt - event.at : null,
    responseState: null,
  };
}

async function showEnd(
  scene: DemoScene,
  record: DeliveryRecord,
  waybill: Waybill,
  context: CommandContext,
): Promise<void> {
  const { print, paint, json } = context;
  const { messageId, status, attempts, lastReason } = record;
  if (json) {
    print(JSON.stringify({ messageId, status, attempts, reason: lastReason }));
    return;
  }
  const mail = await waybill.store.mailOf({ kind: "person", name: "you" }, 1);
  const colour = status === "responded" ? "green" : "red";
  print(`  ${paint(colour, status)} after ${count(attempts, "attempt")}`);
  const [newest] = mail;
  if (newest?.relayOfMessageId === scene.message.id)
    print(`  ${paint("cyan", newest.from)}: ${printable(newest.text)}`);
}
