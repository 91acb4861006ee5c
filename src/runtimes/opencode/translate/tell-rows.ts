/**
 * Says stored rows again as signals, those of subagents in the call that they work for. Pure, but for what the
 * translator has to know to go on with events.
 */
import type { Said, Signal } from "../../../core/turn/signal.ts";
import type { MessageRow } from "../server/opencode-api.ts";
import { continuations } from "../transcript/transcript.ts";
import type { Translator } from "./translate.ts";
import { endSays, endsTurn, isCompleted, messageSays, userSays } from "./translate-message.ts";
import type { ToolPart } from "./translate-part.ts";
import { childOf, partSays } from "./translate-part.ts";

export type StoredRows = {
  root: string;
  /** Those of the root, from the prompt of the oldest turn to tell. */
  rows: readonly MessageRow[];
  /** By session. */
  below: ReadonlyMap<string, readonly MessageRow[]>;
  busy: boolean;
};

/** Up to where the rows go; whether the program works or rests is for the caller to say. */
export function tellRows({ root, rows, below, busy }: StoredRows, translator: Translator): Signal[] {
  const told: Signal[] = [];
  const tell = (row: MessageRow, session: string, isOpen: boolean): void => {
    const state = translator.state(session);
    const where = { at: row.info.time.created, session: root, ...(session === root ? {} : { nativeSession: session }) };
    const say = (said: readonly Said[]) => {
      for (const one of said) told.push({ ...where, ...one });
    };
    const { info, parts } = row;
    if (info.role === "user") say(userSays(info.id, parts, state.parentCall));
    else {
      say(messageSays(info, state.parentCall));
      for (const part of parts) {
        translator.link(part);
        if (part.type === "text" || part.type === "reasoning") state.hearWords(part.id, part.type);
        const child = part.type === "tool" ? childOf(part) : null;
        if (part.type === "tool" && child !== null) {
          say(asRunning(part));
          for (const one of below.get(child) ?? []) tell(one, child, isOpen);
        }
        say(partSays(part));
      }
      if (isCompleted(info)) say(endSays(info));
    }
    state.knowRow(info, isOpen && info.role === "assistant" && !isCompleted(info));
  };
  const begins = turnsIn(rows);
  for (const [place, row] of rows.entries()) {
    const at = row.info.time.created;
    if (place > 0 && begins.has(place)) told.push({ at, session: root, ...rest(rows.slice(0, place)) });
    tell(row, root, busy);
  }
  return told;
}

/** A turn that rests in the middle of its work was cut off, as by the end of the server. */
export function rest(rows: readonly MessageRow[]): Said {
  const newest = rows.findLast(({ info }) => info.role === "assistant");
  return newest === undefined || endsTurn(newest) ? { type: "rest" } : { type: "rest", reason: "interrupted" };
}

/**
 * From the oldest turn on whose end was not said: the one of the prompt `unended`, else the one after that of `settled`.
 * Where neither is known, and where there is nothing new, the newest turn. Null when the rows do not reach back so far.
 */
export function untold(
  rows: readonly MessageRow[],
  { unended, settled }: { unended: string | null; settled: string | null },
): readonly MessageRow[] | null {
  const begins = [...turnsIn(rows)];
  const newest = begins.at(-1);
  const anchor = unended ?? settled;
  const known = rows.findIndex(({ info }) => info.id === anchor);
  if (anchor !== null && known < 0) return null;
  if (unended !== null) return rows.slice(known);
  return newest === undefined ? null : rows.slice(begins.find((place) => anchor !== null && place > known) ?? newest);
}

/** Where turns begin. A prompt that came while the turn before it still worked joined that one. */
function turnsIn(rows: readonly MessageRow[]): Set<number> {
  const found = new Set<number>();
  const chain = continuations(rows);
  const newest = rows.findLastIndex(({ info }) => info.role === "assistant");
  let before: MessageRow | null = null;
  for (const [place, row] of rows.entries()) {
    if (row.info.role === "assistant") before = row;
    else if (chain.has(row.info.id)) continue;
    else if (before === null ? place === 0 : isOver(before, row, newest > place)) found.add(place);
  }
  return found;
}

/** What never ended, and has others after it, was left over. */
function isOver(answer: MessageRow, prompt: MessageRow, hasLater: boolean): boolean {
  const { completed } = answer.info.time as { completed?: number };
  return completed === undefined ? hasLater : endsTurn(answer) && completed <= prompt.info.time.created;
}

function asRunning(part: ToolPart): Said[] {
  const { messageID: message, callID: call, tool: name, state } = part;
  return [{ type: "tool", message, call, name, state: { status: "running", input: state.input } }];
}
