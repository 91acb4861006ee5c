/**
 * Translates stored rows into signals, those of subagents within the call that they work for. Pure, except that it tells
 * the translator what it needs to go on with events.
 */
import type { Signal, SignalBody } from "../../../core/turn/signal.ts";
import type { StoredMessage } from "../server/opencode-api.ts";
import { subtaskSession } from "../transcript/subtask-usage.ts";
import { continuations } from "../transcript/transcript.ts";
import type { OpencodeTranslator } from "./translate.ts";
import { endsTurn, isCompleted, messageEndSignals, messageSignals, promptSignals } from "./translate-message.ts";
import { partSignals } from "./translate-part.ts";

export type StoredTurns = {
  root: string;
  /** Those of the root, from the prompt of the oldest turn to publish. */
  rows: readonly StoredMessage[];
  /** By session. */
  subtaskRows: ReadonlyMap<string, readonly StoredMessage[]>;
  busy: boolean;
};

/** Ends with the last row; whether the program is busy or idle is for the caller to publish. */
export function signalsFromRows(
  { root, rows, subtaskRows, busy }: StoredTurns,
  translator: OpencodeTranslator,
): Signal[] {
  const signals: Signal[] = [];
  const addRow = ({ info, parts }: StoredMessage, session: string): void => {
    const state = translator.state(session);
    const at = info.time.created;
    const origin = { at, session: root, ...(session === root ? {} : { nativeSession: session }) };
    const add = (bodies: readonly SignalBody[]) => {
      for (const body of bodies) signals.push({ ...origin, ...body });
    };
    if (info.role === "user") add(promptSignals(info.id, parts, state.parentCall));
    else {
      add(messageSignals(info, state.parentCall));
      for (const part of parts) {
        translator.link(part);
        if (part.type === "text" || part.type === "reasoning") state.textParts.set(part.id, part.type);
        const child = subtaskSession(part);
        if (part.type === "tool" && child !== null) {
          const { messageID: message, callID: call, tool: name } = part;
          add([{ type: "tool", message, call, name, state: { status: "running", input: part.state.input } }]);
          for (const row of subtaskRows.get(child) ?? []) addRow(row, child);
        }
        add(partSignals(part));
      }
      if (isCompleted(info)) add(messageEndSignals(info));
    }
    state.markPublished(info, busy && info.role === "assistant" && !isCompleted(info));
  };
  const starts = turnStarts(rows);
  for (const [index, row] of rows.entries()) {
    const at = row.info.time.created;
    if (index > 0 && starts.has(index)) signals.push({ at, session: root, ...restSignal(rows.slice(0, index)) });
    addRow(row, root);
  }
  return signals;
}

/** A turn that rests in the middle of its work was interrupted, for example by the end of the server. */
export function restSignal(rows: readonly StoredMessage[]): SignalBody {
  const newest = rows.findLast(({ info }) => info.role === "assistant");
  return newest === undefined || endsTurn(newest) ? { type: "rest" } : { type: "rest", reason: "interrupted" };
}

/**
 * The rows from the oldest turn on whose end was not published: that of `openPrompt`, else the one after `endedPrompt`.
 * Where neither is known, and where there is nothing new, the newest turn. Null when the rows do not reach back so far.
 */
export function unpublishedRows(
  rows: readonly StoredMessage[],
  { openPrompt, endedPrompt }: { openPrompt: string | null; endedPrompt: string | null },
): readonly StoredMessage[] | null {
  const starts = [...turnStarts(rows)];
  const newest = starts.at(-1);
  const anchor = openPrompt ?? endedPrompt;
  const known = rows.findIndex(({ info }) => info.id === anchor);
  if (anchor !== null && known < 0) return null;
  if (openPrompt !== null) return rows.slice(known);
  return newest === undefined ? null : rows.slice(starts.find((index) => anchor !== null && index > known) ?? newest);
}

/** The indexes at which turns start. A prompt that came while the turn before it still worked joined that one. */
function turnStarts(rows: readonly StoredMessage[]): Set<number> {
  const found = new Set<number>();
  const continued = continuations(rows);
  const newest = rows.findLastIndex(({ info }) => info.role === "assistant");
  let before: StoredMessage | null = null;
  for (const [index, row] of rows.entries()) {
    if (row.info.role === "assistant") before = row;
    else if (continued.has(row.info.id)) continue;
    else if (before === null ? index === 0 : isOver(before, row, newest > index)) found.add(index);
  }
  return found;
}

/** An answer that never ended was abandoned if there are later ones. */
function isOver(answer: StoredMessage, prompt: StoredMessage, hasLater: boolean): boolean {
  const { completed } = answer.info.time as { completed?: number };
  return completed === undefined ? hasLater : endsTurn(answer) && completed <= prompt.info.time.created;
}
