/** Translates the parts of an assistant message, both from events and from stored rows. Pure. */
import type { FilePart } from "../../../core/turn/item.ts";
import type { SignalBody, ToolState } from "../../../core/turn/signal.ts";
import type { Json } from "../../json-fields.ts";
import { asObject } from "../../json-fields.ts";
import type { Part, ToolPart } from "../client/api.ts";
import { isRejection } from "../transcript/rows.ts";

export function partSignals(part: Part): SignalBody[] {
  const { id, messageID: message, type } = part;
  const status = (value: unknown): SignalBody[] => [{ type: "status", id, name: type, value }];
  switch (part.type) {
    case "text":
      // Added by the program in the agent's name.
      if (part.synthetic === true) return [{ type: "status", id, name: "synthetic_text", value: { text: part.text } }];
      return [{ type: "part", message, part: id, kind: "text", text: part.text }];
    case "reasoning":
      return [{ type: "part", message, part: id, kind: "reasoning", text: part.text }];
    case "tool":
      return toolSignals(part);
    case "patch":
      return part.files.map((path) => ({ type: "file", message, file: fileChange(path, "unknown", null) }));
    case "file":
      return status(fileValue(part));
    case "snapshot":
      return status({ snapshot: part.snapshot });
    case "agent":
      return status({ agent: part.name });
    case "subtask":
      return status(subtaskValue(part));
    case "retry":
      return status({ attempt: part.attempt, message: part.error.data.message });
    case "compaction":
      return status({ auto: part.auto });
    // A message is one step and has the same usage, which would otherwise count twice.
    case "step-start":
    case "step-finish":
      return [];
    default:
      return unknownPart(part);
  }
}

function unknownPart(part: never): SignalBody[] {
  const { type } = part as { type: unknown };
  return [{ type: "unparsed", reason: `unknown part ${String(type)}`, raw: JSON.stringify(part) }];
}

function toolSignals(part: ToolPart): SignalBody[] {
  const { messageID: message, callID: call, tool: name, state } = part;
  const signal: SignalBody = { type: "tool", message, call, name, state: stateOf(part) };
  if (state.status !== "completed") return [signal];
  const changes = changesIn(state.metadata).map((file): SignalBody => ({ type: "file", message, file }));
  const attached = (state.attachments ?? []).map(
    (file): SignalBody => ({ type: "status", id: file.id, name: "attachment", value: { call, ...fileValue(file) } }),
  );
  const plan: SignalBody[] = isPlan(part) ? [{ type: "plan", id: `plan:${call}`, value: state.input.todos }] : [];
  // The changes come first, since the end of a message's last call may end the message.
  return [...changes, signal, ...plan, ...attached];
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

/** Tools that write report one file with its diff, several files, or only a path. */
function changesIn(metadata: Json): FilePart[] {
  const { filediff, files, results, filepath, exists } = metadata;
  if (Array.isArray(results)) return results.flatMap((one) => changesIn(asObject(one) ?? {}));
  if (Array.isArray(files)) return files.flatMap((one) => changeOf(asObject(one) ?? {}));
  if (filediff !== undefined) return changeOf(asObject(filediff) ?? {});
  if (typeof filepath !== "string" || typeof exists !== "boolean") return [];
  return [fileChange(filepath, exists ? "modified" : "added", null)];
}

function changeOf({ file, filePath, patch, diff, status, type }: Json): FilePart[] {
  const path = file ?? filePath;
  if (typeof path !== "string") return [];
  const text = patch ?? diff;
  return [fileChange(path, changeKind(status ?? type), typeof text === "string" ? text : null)];
}

function changeKind(name: unknown): FilePart["change"] {
  if (name === "added" || name === "add") return "added";
  return name === "deleted" || name === "delete" ? "deleted" : "modified";
}

function fileChange(path: string, change: FilePart["change"], diff: string | null): FilePart {
  return { type: "file", path, change, diff };
}

/** Leaves out a `data:` URL, which contains the whole file. */
export function fileValue({ mime, filename, url }: Extract<Part, { type: "file" }>) {
  return { mime, name: filename ?? null, url: url.startsWith("data:") ? null : url };
}

export function subtaskValue({ agent, description, prompt }: Extract<Part, { type: "subtask" }>) {
  return { agent, description, prompt };
}
