/**
 * The usage of subtasks. Each runs in its own session, which a tool call names. The usage of an ended call is read
 * once; a later call may continue the same session. An unreadable session is reported once and left out, since usage
 * must not hold up an answer.
 */
import type { UsedBelow } from "../../../core/transcript/transcript.ts";
import type { OpencodeApi, Part, StoredMessage } from "../client/api.ts";
import { OpencodeError } from "../client/api.ts";
import { messageUsage } from "./rows.ts";

const maxCalls = 2000;

type Subtask = { callId: string; sessionId: string; ended: boolean };

export class SubtaskUsage {
  readonly #api: OpencodeApi;
  readonly #onError: (error: unknown) => void;
  readonly #ended = new Map<string, UsedBelow[]>();
  readonly #unreadable = new Set<string>();

  constructor(api: OpencodeApi, onError: (error: unknown) => void) {
    this.#api = api;
    this.#onError = onError;
  }

  async below(rows: readonly StoredMessage[], signal: AbortSignal): Promise<UsedBelow[]> {
    const used: UsedBelow[] = [];
    for (const subtask of rows.flatMap(({ parts }) => parts.flatMap(subtasksIn))) {
      used.push(...(this.#ended.get(subtask.callId) ?? (await this.#read(subtask, signal))));
    }
    return used;
  }

  async #read({ callId, sessionId, ended }: Subtask, signal: AbortSignal): Promise<UsedBelow[]> {
    const rows = await this.#rowsOf(sessionId, signal);
    if (rows === null) return [];
    const own = rows.flatMap(({ info }) =>
      info.role === "assistant" ? [{ messageId: info.id, createdAt: info.time.created, ...messageUsage(info) }] : [],
    );
    const used = [...own, ...(await this.below(rows, signal))];
    if (ended) this.#ended.set(callId, used);
    // The oldest calls are read again if rows reach back that far.
    const [oldest] = this.#ended.keys();
    if (oldest !== undefined && this.#ended.size > maxCalls) this.#ended.delete(oldest);
    return used;
  }

  /** Null if the server returns an error; the next read tries again. */
  async #rowsOf(sessionId: string, signal: AbortSignal): Promise<readonly StoredMessage[] | null> {
    try {
      const rows = (await this.#api.messages(sessionId, null, signal)) ?? [];
      this.#unreadable.delete(sessionId);
      return rows;
    } catch (error) {
      if (!(error instanceof OpencodeError) || error.status === 0) throw error;
      if (!this.#unreadable.has(sessionId)) this.#onError(error);
      this.#unreadable.add(sessionId);
      return null;
    }
  }
}

function subtasksIn(part: Part): Subtask[] {
  const sessionId = subtaskSession(part);
  if (sessionId === null || part.type !== "tool" || part.tool !== "task") return [];
  return [{ callId: part.id, sessionId, ended: part.state.status !== "running" }];
}

/** The session in which a tool call's subagent works. */
export function subtaskSession(part: Part): string | null {
  if (part.type !== "tool" || part.state.status === "pending") return null;
  const sessionId = part.state.metadata?.sessionId;
  return typeof sessionId === "string" ? sessionId : null;
}
