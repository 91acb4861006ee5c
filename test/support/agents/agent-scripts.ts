/**
 * What an agent does with a prompt, in terms that fit every program: a turn is a list of messages, each with text, an
 * action, or both. They are converted into a script for the stub, or for the model behind a real program.
 */
import { join } from "node:path";
import type { ModelScriptInput } from "@waybill/scripted-model";
import type { StubScriptInput } from "../../../src/runtimes/stub/script.ts";

export type AgentAction =
  | { read: string }
  | { edit: string; from: string; to: string }
  /** A command that a person has to allow. */
  | { shell: string }
  /** An allowed command that takes long. */
  | { sleeps: true }
  | { asks: readonly string[] };

export type Message = {
  say?: string;
  think?: string;
  do?: AgentAction;
  /** Each second ten characters of its text come. The stub says nothing for a minute. */
  slowly?: true;
  /** Instead of all this, the provider refuses. */
  error?: string;
  /** Only the first time; after that, the next one follows immediately. */
  once?: true;
  /** Never comes: the test ends the turn. The stub's program exits by itself at `dies`. */
  hangs?: "stopped" | "dies";
};

/** By a word in the prompt. */
export type AgentTurns = Readonly<Record<string, readonly Message[]>>;

export type ToolNames = (deed: AgentAction, directory: string) => { tool: string; input: Record<string, unknown> };

export function modelScript(turns: AgentTurns, toolOf: ToolNames, directory: string): ModelScriptInput {
  return {
    rules: Object.entries(turns).map(([when, messages]) => ({
      when,
      steps: messages.map(({ say, think, do: deed, slowly, error, hangs, once }) => ({
        ...(once === undefined ? {} : { once }),
        ...(say === undefined ? {} : { say }),
        ...(slowly === undefined ? {} : { pieceMs: 200, pieceLength: 2 }),
        ...(think === undefined ? {} : { think }),
        ...(deed === undefined ? {} : { tools: [toolOf(deed, directory)] }),
        ...(error === undefined ? {} : { error: { status: 400, message: error } }),
        ...(hangs === undefined ? {} : { breaks: { how: "hang" as const } }),
      })),
    })),
  };
}

export function stubScript(turns: AgentTurns): StubScriptInput {
  const scenes = Object.entries(turns);
  const isOnce = ({ once }: Message) => once === true;
  const first = scenes.filter(([, messages]) => messages.some(isOnce));
  return {
    // A turn ends with the last message that comes only once.
    turns: first.map(([when, messages]) => ({
      when,
      steps: stubSteps(messages.slice(0, messages.findLastIndex(isOnce) + 1)),
    })),
    always: scenes.map(([when, messages]) => ({ when, steps: stubSteps(messages.filter((one) => !isOnce(one))) })),
  };
}

function stubSteps(messages: readonly Message[]) {
  return messages.flatMap(({ say, think, do: deed, slowly, error, hangs }) => [
    ...(think === undefined ? [] : [{ think }]),
    ...(slowly === undefined ? [] : [{ wait: 60_000 }]),
    ...(say === undefined ? [] : [{ say }, { uses: { tokens: 10 } }]),
    ...(deed === undefined ? [] : [stubStep(deed)]),
    ...(error === undefined ? [] : [{ error, status: 400 }]),
    ...(hangs === undefined ? [] : [hangs === "dies" ? { crash: true as const } : { hang: true as const }]),
  ]);
}

function stubStep(deed: AgentAction) {
  if ("read" in deed) return { tool: "read", input: { path: deed.read }, output: "text" };
  if ("edit" in deed) {
    const diff = `@@ -1 +1 @@\n-${deed.from}\n+${deed.to}\n`;
    return { tool: "edit", output: "done", changes: [{ path: deed.edit, change: "modified" as const, diff }] };
  }
  if ("shell" in deed) return { ask: "permission" as const, title: `bash: ${deed.shell}` };
  if ("sleeps" in deed) return { tool: "bash", takesMs: 600_000 };
  return { ask: "question" as const, title: deed.asks.join(" / ") };
}

/** The tools of OpenCode. */
export const opencodeTools: ToolNames = (deed, directory) => {
  if ("read" in deed) return { tool: "read", input: { filePath: join(directory, deed.read) } };
  if ("edit" in deed) {
    const { edit, from, to } = deed;
    return { tool: "edit", input: { filePath: join(directory, edit), oldString: from, newString: to } };
  }
  if ("shell" in deed) return { tool: "bash", input: { command: deed.shell, description: "runs" } };
  if ("sleeps" in deed) return { tool: "bash", input: { command: "sleep 600", description: "sleeps" } };
  const questions = deed.asks.map((question) => ({ question, header: question.slice(0, 10), options }));
  return { tool: "question", input: { questions } };
};

/** The tools of Claude Code. */
export const claudeTools: ToolNames = (deed, directory) => {
  if ("read" in deed) return { tool: "Read", input: { file_path: join(directory, deed.read) } };
  if ("edit" in deed) {
    const { edit, from, to } = deed;
    return { tool: "Edit", input: { file_path: join(directory, edit), old_string: from, new_string: to } };
  }
  if ("shell" in deed) return { tool: "Bash", input: { command: deed.shell, description: "runs" } };
  if ("sleeps" in deed) return { tool: "Bash", input: { command: "sleep 600", description: "sleeps" } };
  const asked = (question: string) => ({ question, header: question.slice(0, 10), options, multiSelect: false });
  return { tool: "AskUserQuestion", input: { questions: deed.asks.map(asked) } };
};

/** The tools of pi, and the one that Waybill's extension adds. */
export const piTools: ToolNames = (deed, directory) => {
  if ("read" in deed) return { tool: "read", input: { path: join(directory, deed.read) } };
  if ("edit" in deed) {
    const { edit, from, to } = deed;
    return { tool: "edit", input: { path: join(directory, edit), edits: [{ oldText: from, newText: to }] } };
  }
  if ("shell" in deed) return { tool: "bash", input: { command: deed.shell } };
  if ("sleeps" in deed) return { tool: "bash", input: { command: "sleep 600" } };
  return { tool: "question", input: { questions: deed.asks.map((question) => ({ question, options })) } };
};

const options = [
  { label: "Red", description: "as blood" },
  { label: "Blue", description: "as the sea" },
];
