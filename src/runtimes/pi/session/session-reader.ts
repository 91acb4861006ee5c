/**
 * Turns the rows of a pi session file, in the order in which they stand there, into the transcript that every runtime
 * shows. It keeps the rows of turns that are over, and the messages of the newest one, so that reading on costs only
 * what is new. No I/O.
 *
 * What bites: a session is a tree. A message belongs to the prompt below which it stands, through rows of all kinds; a
 * person who went back in pi itself and took another way leaves the first one in the file.
 */

import type { TranscriptRow } from "../../../core/transcript/transcript.ts";
import type { Json } from "../../json-fields.ts";
import { asObject, asText } from "../../json-fields.ts";
import { failedEntry, refusedEntry, stepLimitEntry } from "../extension/gate-protocol.ts";
import { messageId } from "./message-id.ts";
import type { Turn } from "./session-rows.ts";
import { rowsOf } from "./session-rows.ts";

type OpenTurn = { messages: Json[]; refused: Set<string>; limit: string | null };

export class SessionReader {
  readonly #sessionId: string;
  readonly #past: TranscriptRow[] = [];
  readonly #turnOf = new Map<string, OpenTurn>();
  readonly #prompts = new Set<string>();
  #newest: OpenTurn | null = null;
  /** Where the session works. */
  directory: string | null = null;
  lastActivityAt: number | null = null;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  take(entry: Json): void {
    if (entry.type === "session") {
      this.directory = asText(entry.cwd);
      return;
    }
    const id = asText(entry.id);
    if (id === null) return;
    const at = Date.parse(asText(entry.timestamp) ?? "") || 0;
    const message = entry.type === "message" ? asObject(entry.message) : null;
    const above = this.#turnOf.get(asText(entry.parentId) ?? "");
    const turn = message?.role === "user" ? this.#begin(message) : above;
    if (turn === undefined) return;
    this.#turnOf.set(id, turn);
    if (message) {
      turn.messages.push({ ...message, endedAt: at });
      this.lastActivityAt = at;
    }
    if (entry.type === "custom") note(turn, asText(entry.customType), asObject(entry.data) ?? {}, at);
  }

  /** The newest `limit` rows, or all of them, with what was heard of the newest turn and is not in the file yet. */
  newest(limit: number | null, heard: readonly Json[]): { rows: TranscriptRow[]; complete: boolean } {
    const open = this.#withHeard(heard).flatMap((turn) => rowsOf(turn, this.#sessionId));
    const wanted = limit === null ? this.#past.length : Math.max(0, limit - open.length);
    const past = wanted === 0 ? [] : this.#past.slice(-wanted);
    const rows = [...past, ...open];
    const shown = limit === null ? rows : rows.slice(-limit);
    return { rows: shown, complete: shown.length === this.#past.length + open.length };
  }

  /** The newest prompt's text, as it stands in the file. */
  newestPrompt(heard: readonly Json[]): string | null {
    const turn = this.#withHeard(heard).at(-1);
    return (turn && rowsOf(turn, this.#sessionId)[0]?.text) ?? null;
  }

  #begin(prompt: Json): OpenTurn {
    this.#prompts.add(messageId(this.#sessionId, prompt));
    if (this.#newest) {
      this.#past.push(...rowsOf(this.#newest, this.#sessionId));
      this.#newest.messages = [];
    }
    this.#newest = { messages: [], refused: new Set(), limit: null };
    return this.#newest;
  }

  #withHeard(heard: readonly Json[]): Turn[] {
    const turn = this.#newest;
    const idOf = (message: Json) => `${messageId(this.#sessionId, message)} ${asText(message.toolCallId) ?? ""}`;
    const known = new Set(turn?.messages.map(idOf));
    const unknown = heard.filter((message) => !known.has(idOf(message)));
    const isItsOwn = unknown[0]?.role === "user";
    // It was heard before the file was read, and the next prompt stands there by now.
    const isOver = isItsOwn && this.#prompts.has(messageId(this.#sessionId, unknown[0] ?? {}));
    if (unknown.length === 0 || isOver) return turn ? [turn] : [];
    const blank: Turn = { messages: [], refused: new Set(), limit: null };
    const last = isItsOwn ? blank : (turn ?? blank);
    const merged: Turn = { ...last, messages: [...last.messages, ...unknown] };
    return isItsOwn && turn ? [turn, merged] : [merged];
  }
}

function note(turn: OpenTurn, kind: string | null, data: Json, at: number): void {
  if (kind === refusedEntry) turn.refused.add(asText(data.call) ?? "");
  if (kind === stepLimitEntry) turn.limit = asText(data.message);
  if (kind === failedEntry) turn.messages.push({ ...asObject(data.message), endedAt: at });
}
