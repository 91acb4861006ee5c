/**
 * The scenarios of `scripts/record-pi.mjs`. Each runs in its own session in one real program, and leaves two files: the
 * lines of stdout, interleaved with the commands to the program, and the rows of the session file. Machine names are
 * replaced, and long content that is irrelevant to the conversation is left out.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelScriptInput } from "@waybill/scripted-model";
import type { Json } from "../../../src/runtimes/json-fields.ts";
import type { AskAnswer } from "../../../src/runtimes/port.ts";
import type { PiProgram } from "./pi-program.ts";
import { PiWorld } from "./pi-program.ts";

type Steps = NonNullable<NonNullable<ModelScriptInput["rules"]>[number]["steps"]>;
type Scenario = { steps: Steps; play?: (pi: PiProgram) => Promise<unknown> };

const bash = (command: string) => ({ tool: "bash", input: { command } });
const question = { question: "Which colour?", header: "Colour", options: [{ label: "Red" }, { label: "Blue" }] };

const scenarios: Record<string, Scenario> = {
  answer: { steps: [{ think: "This needs some thought.", say: "Forty-two." }] },
  "read-edit-say": {
    steps: [
      { say: "I read.", tools: [{ tool: "read", input: { path: "notes.txt" } }] },
      { tools: [{ tool: "edit", input: { path: "notes.txt", edits: [{ oldText: "beta", newText: "gamma" }] } }] },
      { tools: [{ tool: "write", input: { path: "new.txt", content: "new\n" } }] },
      { say: "Done." },
    ],
  },
  "permission-allowed": {
    steps: [{ say: "May I?", tools: [bash("echo made")] }, { say: "Made." }],
    play: answered({ decision: "once" }),
  },
  "permission-rejected": {
    steps: [{ say: "May I?", tools: [bash("echo one"), bash("echo two")] }, { say: "Never said." }],
    play: answered({ decision: "reject" }),
  },
  question: {
    steps: [{ tools: [{ tool: "question", input: { questions: [question] } }] }, { say: "Noted." }],
    play: answered({ decision: "once", answers: [["Blue"]] }),
  },
  "tool-error": { steps: [{ tools: [{ tool: "read", input: { path: "gone.txt" } }] }, { say: "It is not there." }] },
  error: { steps: [{ error: { status: 400, message: "This cannot be done." } }] },
  "error-after-words": { steps: [{ say: "I begin to say", breaks: { how: "error", afterPieces: 1 } }] },
  // The provider's own library retries twice before pi notices.
  retry: {
    steps: [
      ...Array.from({ length: 3 }, () => ({ error: { status: 529, message: "overloaded" }, once: true })),
      { say: "There you are." },
    ],
  },
  stopped: {
    steps: [{ say: "I begin.", tools: [{ tool: "read", input: { path: "notes.txt" } }] }, { breaks: { how: "hang" } }],
    play: stoppedWhen((line) => line.type === "turn_end"),
  },
  "stopped-early": { steps: [{ breaks: { how: "hang" } }], play: stoppedWhen((line) => line.type === "message_end") },
  "stopped-ask": {
    steps: [{ tools: [bash("echo made")] }, { say: "Never said." }],
    play: stoppedWhen((line) => line.method === "select"),
  },
  empty: { steps: [{}] },
  limit: {
    steps: Array.from({ length: 5 }, () => ({ tools: [{ tool: "read", input: { path: "notes.txt" } }] })),
  },
};

function answered(answer: AskAnswer) {
  return async (pi: PiProgram) => {
    await pi.client.prompt("go");
    await pi.until(() => pi.client.asks.length > 0);
    const [ask] = pi.client.asks;
    if (ask) {
      pi.lines.push({ type: "told", answer: { ask: ask.id, ...answer } });
      pi.client.answer(ask.id, answer);
    }
    await pi.until(() => !pi.client.isWorking);
  };
}

function stoppedWhen(fits: (line: Json) => boolean) {
  return async (pi: PiProgram) => {
    await pi.client.prompt("go");
    await pi.hears(fits);
    pi.lines.push({ type: "told", stop: true });
    await pi.client.request("abort");
    await pi.until(() => !pi.client.isWorking);
  };
}

export async function recordPi(directory: string, only: readonly string[]): Promise<void> {
  const names = Object.keys(scenarios).filter((name) => only.length === 0 || only.includes(name));
  const world = await new PiWorld().open();
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(world.directory, "notes.txt"), "alpha\nbeta\n");
  const pi = await world.start("first", { maxSteps: 4 }).ready();
  try {
    for (const name of names) {
      const { steps, play = (program) => program.turn("go") } = scenarios[name] as Scenario;
      world.model.setScript({ rules: [{ steps }] });
      writeFileSync(join(world.directory, "notes.txt"), "alpha\nbeta\n");
      await pi.client.switchSession(world.sessionFile(name));
      pi.lines = [];
      await play(pi);
      const clean = (line: Json) => JSON.stringify(shortened(line)).replaceAll(world.home, "/home");
      writeFileSync(join(directory, `${name}.lines.jsonl`), pi.lines.map((line) => `${clean(line)}\n`).join(""));
      writeFileSync(
        join(directory, `${name}.rows.jsonl`),
        world
          .rows(name)
          .map((row) => `${clean(row)}\n`)
          .join(""),
      );
    }
  } finally {
    await world.close();
  }
}

/** Repetitions of the whole turn and of a message in its event, and the model's address. */
function shortened(line: Json): Json {
  if (line.type === "agent_end") return { ...line, messages: [] };
  const { assistantMessageEvent: event, data } = line;
  if (event && typeof event === "object") return { ...line, assistantMessageEvent: { ...event, partial: undefined } };
  return data && typeof data === "object" && "model" in data ? { ...line, data: { ...data, model: undefined } } : line;
}
