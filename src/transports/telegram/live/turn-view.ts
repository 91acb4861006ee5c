/** What a chat shows of a running turn: the text so far and the running tools, folded from the lane's events. Pure. */
import type { Item } from "../../../core/turn/item.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import { duration } from "../outgoing/amounts.ts";

/** `detail`: what the tool works on, if known. */
type RunningTool = { id: string; name: string; detail: string | null };

export type TurnView = {
  /** The agent's newest message with text, and its parts. */
  message: string | null;
  parts: ReadonlyMap<string, string>;
  /** The running tools, oldest first. */
  tools: readonly RunningTool[];
  /** Messages of subagents, which are not the answer. */
  below: ReadonlySet<string>;
};

export const emptyView: TurnView = { message: null, parts: new Map(), tools: [], below: new Set() };

/** Returns the same object if the event changes nothing that is shown. */
export function viewAfter(view: TurnView, event: UniversalEvent): TurnView {
  if (event.nativeSession !== undefined || event.copied) return view;
  switch (event.type) {
    case "turn.started":
      return emptyView;
    case "turn.ended":
      return view.tools.length === 0 ? view : { ...view, tools: [] };
    case "item.started":
      return started(view, event.data.item);
    case "item.delta": {
      const { item, part, kind, text } = event.data;
      if (kind !== "text" || text === "" || view.below.has(item)) return view;
      const before = item === view.message ? view.parts : new Map<string, string>();
      return { ...view, message: item, parts: new Map(before).set(part, (before.get(part) ?? "") + text) };
    }
    case "item.completed":
      return completed(view, event.data.item);
    default:
      return view;
  }
}

export function textOf({ parts }: TurnView): string {
  return [...parts.values()].filter((text) => text.trim() !== "").join("\n\n");
}

function started(view: TurnView, { id, kind, role, name, parent }: Item): TurnView {
  if (kind === "message" && role === "assistant" && parent !== null) {
    return { ...view, below: new Set(view.below).add(id) };
  }
  if (kind !== "tool_call" || (parent !== null && view.below.has(parent))) return view;
  return { ...view, tools: [...view.tools, { id, name: name ?? "tool", detail: null }] };
}

function completed(view: TurnView, item: Item): TurnView {
  switch (item.kind) {
    case "tool_call": {
      const tools = view.tools.map((tool) => (tool.id === item.id ? { ...tool, detail: detailOf(item) } : tool));
      return { ...view, tools };
    }
    case "tool_result":
      return { ...view, tools: view.tools.filter(({ id }) => id !== item.parent) };
    case "message": {
      const texts = item.parts.flatMap((part) => (part.type === "text" ? [[part.id, part.text] as const] : []));
      const isAnswer =
        item.role === "assistant" && item.parent === null && texts.some(([, text]) => text.trim() !== "");
      return isAnswer ? { ...view, message: item.id, parts: new Map(texts) } : view;
    }
    default:
      return view;
  }
}

/** The most informative arguments, best first. */
const tellingNames = ["command", "filePath", "file_path", "path", "pattern", "query", "url", "description"];
const maxDetail = 80;

function detailOf({ parts }: Item): string | null {
  const call = parts.find((part) => part.type === "tool_call");
  const input = call?.type === "tool_call" ? call.input : null;
  if (typeof input !== "object" || input === null) return null;
  const values = new Map<string, unknown>(Object.entries(input));
  const detail = tellingNames.map((name) => values.get(name)).find((value) => typeof value === "string");
  if (typeof detail !== "string") return null;
  const [line = ""] = detail.replaceAll("`", "'").trim().split("\n");
  return line.length > maxDetail ? `${line.slice(0, maxDetail)}…` : line || null;
}

/** For the message that is edited while the turn runs. */
export function previewWords(view: TurnView): string {
  const tool = toolWords(view);
  return joined(textOf(view) || "▶️ Working…", tool === null ? null : `⏳ ${tool}`);
}

export function progressWords(view: TurnView, ms: number): string {
  const tool = toolWords(view);
  return `⏳ Still working (${duration(ms)})${tool === null ? "" : `: ${tool}`}`;
}

/** Includes the text so far, for the message that shows it. */
export function progressBelowText(view: TurnView, ms: number): string {
  const text = textOf(view);
  return text === "" ? progressWords(view, ms) : joined(text, progressWords(view, ms));
}

function toolWords({ tools }: TurnView): string | null {
  const tool = tools.at(-1);
  if (!tool) return null;
  return tool.detail === null ? tool.name : `${tool.name} \`${tool.detail}\``;
}

/** Closes a fence that is still open, so that the line does not become part of it. */
function joined(text: string, line: string | null): string {
  if (line === null) return text;
  const fences = text.match(/^\s{0,3}(```+|~~~+)/gm) ?? [];
  const open = fences.length % 2 === 1 ? `\n${fences.at(-1)?.trim() ?? ""}` : "";
  return `${text}${open}\n\n${line}`;
}
