/**
 * Converts the rows of a pi session file, in order, to the transcript format that all runtimes share. It keeps the rows
 * of past turns and the messages of the newest one, so that only new rows have to be read. No I/O.
 *
 * A session is a tree. A message belongs to the prompt that it descends from, through rows of all kinds. When a person
 * goes back in pi and continues differently, the abandoned branch stays in the file.
 */
import type { TranscriptRow } from "../../../core/transcript/transcript.ts";
import type { Json } from "../../json-fields.ts";
import { asObject, asText } from "../../json-fields.ts";
import { failedEntry, refusedEntry, stepLimitEntry } from "../extension/gate-protocol.ts";
import { messageId } from "../lines.ts";
import type { SessionTurn } from "./rows.ts";
import { rowsOf } from "./rows.ts";

type OpenTurn = { messages: Json[]; refused: Set<string>; stepLimit: string | null };

export class SessionReader {
  readonly #sessionId: string;
  readonly #past: TranscriptRow[] = [];
  readonly #turnOf = new Map<string, OpenTurn>();
  readonly #prompts = new Set<string>();
  #newest: OpenTurn | null = null;
  /** The working directory of the session. */
  directory: string | null = null;
  lastActivityAt: number | null = null;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  add(entry: Json): void {
    if (entry.type === "session") {
      this.directory = asText(entry.cwd);
      return;
    }
    const id = asText(entry.id);
    if (id === null) return;
    const at = Date.parse(asText(entry.timestamp) ?? "") || 0;
    const message = entry.type === "message" ? asObject(entry.message) : null;
    const above = this.#turnOf.get(asText(entry.parentId) ?? "");
    const turn = message?.role === "user" ? this.#startTurn(message) : above;
    if (turn === undefined) return;
    this.#turnOf.set(id, turn);
    if (message) {
      turn.messages.push({ ...message, endedAt: at });
      this.lastActivityAt = at;
    }
    if (entry.type === "custom") addExtensionEntry(turn, asText(entry.customType), asObject(entry.data) ?? {}, at);
  }

  /** The newest `limit` rows, or all. `live` are messages that the process reported and the file may lack. */
  newest(limit: number | null, live: readonly Json[]): { rows: TranscriptRow[]; complete: boolean } {
    const open = this.#withLive(live).flatMap((turn) => rowsOf(turn, this.#sessionId));
    const pastCount = limit === null ? this.#past.length : Math.max(0, limit - open.length);
    const past = pastCount === 0 ? [] : this.#past.slice(-pastCount);
    const rows = [...past, ...open];
    const shown = limit === null ? rows : rows.slice(-limit);
    return { rows: shown, complete: shown.length === this.#past.length + open.length };
  }

  /** The text of the newest prompt. */
  newestPrompt(live: readonly Json[]): string | null {
    const turn = this.#withLive(live).at(-1);
    return (turn && rowsOf(turn, this.#sessionId)[0]?.text) ?? null;
  }

  #startTurn(prompt: Json): OpenTurn {
    this.#prompts.add(messageId(this.#sessionId, prompt));
    if (this.#newest) {
      this.#past.push(...rowsOf(this.#newest, this.#sessionId));
      this.#newest.messages = [];
    }
    this.#newest = { messages: [], refused: new Set(), stepLimit: null };
    return this.#newest;
  }

  #withLive(live: readonly Json[]): SessionTurn[] {
    const turn = this.#newest;
    const idOf = (message: Json) => `${messageId(this.#sessionId, message)} ${asText(message.toolCallId) ?? ""}`;
    const known = new Set(turn?.messages.map(idOf));
    const unwritten = live.filter((message) => !known.has(idOf(message)));
    const isNewTurn = unwritten[0]?.role === "user";
    // The message was reported before the file was read, and by now the file has the next prompt.
    const isPast = isNewTurn && this.#prompts.has(messageId(this.#sessionId, unwritten[0] ?? {}));
    if (unwritten.length === 0 || isPast) return turn ? [turn] : [];
    const blank: SessionTurn = { messages: [], refused: new Set(), stepLimit: null };
    const last = isNewTurn ? blank : (turn ?? blank);
    const merged: SessionTurn = { ...last, messages: [...last.messages, ...unwritten] };
    return isNewTurn && turn ? [turn, merged] : [merged];
  }
}

function addExtensionEntry(turn: OpenTurn, kind: string | null, data: Json, at: number): void {
  if (kind === refusedEntry) turn.refused.add(asText(data.call) ?? "");
  if (kind === stepLimitEntry) turn.stepLimit = asText(data.message);
  if (kind === failedEntry) turn.messages.push({ ...asObject(data.message), endedAt: at });
}
