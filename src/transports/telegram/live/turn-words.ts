/** The text for a running turn: its preview and its progress. Pure. */

import { duration } from "../outgoing/duration.ts";
import type { TurnView } from "./turn-view.ts";
import { textOf } from "./turn-view.ts";

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
