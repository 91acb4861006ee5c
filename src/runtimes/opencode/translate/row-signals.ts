/**
 * Translates stored rows to signals. Subagents' rows appear within the call that started them. Pure, except that it
 * updates the translator's state, so that the translator can continue with events.
 */
import type { Signal, SignalBody } from "../../../core/turn/signal.ts";
import type { StoredMessage } from "../client/api.ts";
import { continuations } from "../transcript/rows.ts";
import { subtaskSession } from "../transcript/subtask-usage.ts";
import type { OpencodeTranslator } from "./translate.ts";
import { endsTurn, isCompleted, messageEndSignals, messageSignals, promptSignals } from "./translate-message.ts";
import { partSignals } from "./translate-part.ts";

export type StoredTurns = {
  root: string;
  /** The rows of the root session, from the prompt of the oldest turn to publish. */
  rows: readonly StoredMessage[];
  /** By session. */
  subtaskRows: ReadonlyMap<string, readonly StoredMessage[]>;
  busy: boolean;
};

/** Ends with the last row; the caller publishes whether the program is busy or idle. */
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
        const isText = part.type === "text" || part.type === "reasoning";
        if (isText) state.textParts.set(part.id, part.type);
        const child = subtaskSession(part);
        if (part.type === "tool" && child !== null) {
          const { messageID: message, callID: call, tool: name } = part;
          add([{ type: "tool", message, call, name, state: { status: "running", input: part.state.input } }]);
          for (const row of subtaskRows.get(child) ?? []) addRow(row, child);
        }
        // Text is stored only when it is complete, so an empty text may already have been published in part.
        if (!isText || part.text !== "") add(partSignals(part));
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

/** If a turn rests in the middle of its work, it was interrupted, for example because the server ended. */
export function restSignal(rows: readonly StoredMessage[]): SignalBody {
  const newest = rows.findLast(({ info }) => info.role === "assistant");
  return newest === undefined || endsTurn(newest) ? { type: "rest" } : { type: "rest", reason: "interrupted" };
}

/**
 * The rows since the oldest turn without a published end: that of `openPrompt`, else the one after `endedPrompt`. The
 * newest turn if neither is known or nothing is new. Null if the rows do not reach back that far.
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

/** The indexes at which turns start. A prompt that arrives during a turn joins that turn. */
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

/** An answer without an end was abandoned if there are later ones. */
function isOver(answer: StoredMessage, prompt: StoredMessage, hasLater: boolean): boolean {
  const { completed } = answer.info.time as { completed?: number };
  return completed === undefined ? hasLater : endsTurn(answer) && completed <= prompt.info.time.created;
}
