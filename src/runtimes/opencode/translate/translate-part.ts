/** What the parts of an assistant's message say. Pure; the same for parts from events and from stored rows. */
import type { FilePart } from "../../../core/turn/item.ts";
import type { Said, ToolState } from "../../../core/turn/signal.ts";
import type { Part } from "../server/opencode-api.ts";
import { isRejection } from "../transcript/transcript.ts";

export type ToolPart = Extract<Part, { type: "tool" }>;
type Metadata = Readonly<Record<string, unknown>>;

export function partSays(part: Part): Said[] {
  const { id, messageID: message } = part;
  switch (part.type) {
    case "text":
      // Put in by the program, in the agent's name.
      if (part.synthetic === true) return [{ type: "status", id, name: "synthetic_text", value: { text: part.text } }];
      return [{ type: "part", message, part: id, kind: "text", text: part.text }];
    case "reasoning":
      return [{ type: "part", message, part: id, kind: "reasoning", text: part.text }];
    case "tool":
      return toolSays(part);
    case "patch":
      return part.files.map((path) => ({ type: "file", message, file: fileChange(path, "unknown", null) }));
    case "file":
      return [{ type: "status", id, name: "file", value: fileValue(part) }];
    case "snapshot":
      return [{ type: "status", id, name: "snapshot", value: { snapshot: part.snapshot } }];
    case "agent":
      return [{ type: "status", id, name: "agent", value: { agent: part.name } }];
    case "subtask":
      return [{ type: "status", id, name: "subtask", value: subtaskValue(part) }];
    case "retry":
      return [
        { type: "status", id, name: "retry", value: { attempt: part.attempt, message: part.error.data.message } },
      ];
    case "compaction":
      return [{ type: "status", id, name: "compaction", value: { auto: part.auto } }];
    // A message is one step, and its own row has the same numbers: saying both would count them twice.
    case "step-start":
    case "step-finish":
      return [];
    default:
      return unknownPart(part);
  }
}

/** The session in which a call's subagent works. */
export function childOf({ state }: ToolPart): string | null {
  const sessionId = state.status === "pending" ? undefined : state.metadata?.sessionId;
  return typeof sessionId === "string" ? sessionId : null;
}

function unknownPart(part: never): Said[] {
  const { type } = part as { type: unknown };
  return [{ type: "unparsed", reason: `unknown part ${String(type)}`, raw: JSON.stringify(part) }];
}

function toolSays(part: ToolPart): Said[] {
  const { messageID: message, callID: call, tool: name, state } = part;
  const said: Said[] = [{ type: "tool", message, call, name, state: stateOf(part) }];
  if (state.status !== "completed") return said;
  const changes = changesIn(state.metadata).map((file): Said => ({ type: "file", message, file }));
  const attached = (state.attachments ?? []).map(
    (file): Said => ({ type: "status", id: file.id, name: "attachment", value: { call, ...fileValue(file) } }),
  );
  const plan: Said[] = isPlan(part) ? [{ type: "plan", id: `plan:${call}`, value: state.input.todos }] : [];
  // Once a message's last call has ended, its changes come too late.
  return [...changes, ...said, ...plan, ...attached];
}

export function isPlan({ tool }: ToolPart): boolean {
  return tool === "todowrite";
}

function stateOf({ state }: ToolPart): ToolState {
  const { input } = state;
  switch (state.status) {
    case "pending":
      return { status: "pending" };
    case "running": {
      const output = state.metadata?.output;
      return { status: "running", input, ...(typeof output === "string" ? { output } : {}) };
    }
    case "completed":
      return { status: "completed", input, output: state.output };
    case "error":
      return { status: "error", input, output: state.error, rejected: isRejection(state.error) };
    default:
      return state satisfies never;
  }
}

/** What the tools that write say of it: one file with its diff, several of them, or only which one it was. */
function changesIn(metadata: Metadata): FilePart[] {
  const { filediff, files, results, filepath, exists } = metadata;
  if (Array.isArray(results)) return results.flatMap((one) => changesIn(asRecord(one)));
  if (Array.isArray(files)) return files.flatMap((one) => changeOf(asRecord(one)));
  if (filediff !== undefined) return changeOf(asRecord(filediff));
  if (typeof filepath !== "string" || typeof exists !== "boolean") return [];
  return [fileChange(filepath, exists ? "modified" : "added", null)];
}

function changeOf({ file, filePath, patch, diff, status, type }: Metadata): FilePart[] {
  const path = file ?? filePath;
  if (typeof path !== "string") return [];
  const words = patch ?? diff;
  return [fileChange(path, changeNamed(status ?? type), typeof words === "string" ? words : null)];
}

function changeNamed(name: unknown): FilePart["change"] {
  if (name === "added" || name === "add") return "added";
  return name === "deleted" || name === "delete" ? "deleted" : "modified";
}

function fileChange(path: string, change: FilePart["change"], diff: string | null): FilePart {
  return { type: "file", path, change, diff };
}

/** Without what is in it, where the address is the file itself. */
export function fileValue({ mime, filename, url }: Extract<Part, { type: "file" }>) {
  return { mime, name: filename ?? null, url: url.startsWith("data:") ? null : url };
}

export function subtaskValue({ agent, description, prompt }: Extract<Part, { type: "subtask" }>) {
  return { agent, description, prompt };
}

function asRecord(value: unknown): Metadata {
  return typeof value === "object" && value !== null ? (value as Metadata) : {};
}
