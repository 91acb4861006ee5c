/**
 * What subtasks used: they run in sessions of their own, which the tool call in the lane's session names. What a
 * call that has ended used is read once; a later call may go on in the same session. One whose session cannot be read is
 * left out, and said so once: nobody's answer waits for a sum.
 */
import type { UsedBelow } from "../../../core/transcript/transcript.ts";
import type { MessageRow, OpencodeApi, Part } from "../server/opencode-api.ts";
import { OpencodeError } from "../server/opencode-api.ts";
import { usageOf } from "./transcript.ts";

const maxKept = 2000;

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

  async below(rows: readonly MessageRow[], signal: AbortSignal): Promise<UsedBelow[]> {
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
      info.role === "assistant" ? [{ messageId: info.id, createdAt: info.time.created, ...usageOf(info) }] : [],
    );
    const used = [...own, ...(await this.below(rows, signal))];
    if (ended) this.#keep(callId, used);
    return used;
  }

  /** The oldest ones are read again if somebody looks so far back. */
  #keep(callId: string, used: UsedBelow[]): void {
    this.#ended.set(callId, used);
    const [oldest] = this.#ended.keys();
    if (oldest !== undefined && this.#ended.size > maxKept) this.#ended.delete(oldest);
  }

  /** Null when the server answers, and not with rows; it is asked again at the next read. */
  async #rowsOf(sessionId: string, signal: AbortSignal): Promise<readonly MessageRow[] | null> {
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
  if (part.type !== "tool" || part.tool !== "task" || part.state.status === "pending") return [];
  const sessionId = part.state.metadata?.sessionId;
  const ended = part.state.status !== "running";
  return typeof sessionId === "string" ? [{ callId: part.id, sessionId, ended }] : [];
}
