/**
 * What subtasks used: they run in sessions of their own, which the tool call in the lane's session names. One that has
 * ended is read once.
 */
import type { UsedBelow } from "../port.ts";
import type { MessageRow, OpencodeApi, Part } from "./opencode-api.ts";
import { usageOf } from "./transcript.ts";

type Subtask = { sessionId: string; ended: boolean };

export class SubtaskUsage {
  readonly #api: OpencodeApi;
  readonly #ended = new Map<string, UsedBelow[]>();

  constructor(api: OpencodeApi) {
    this.#api = api;
  }

  async below(rows: readonly MessageRow[], signal: AbortSignal): Promise<UsedBelow[]> {
    const used: UsedBelow[] = [];
    for (const { sessionId, ended } of rows.flatMap(({ parts }) => parts.flatMap(subtasksIn))) {
      used.push(...(this.#ended.get(sessionId) ?? (await this.#read(sessionId, ended, signal))));
    }
    return used;
  }

  async #read(sessionId: string, ended: boolean, signal: AbortSignal): Promise<UsedBelow[]> {
    const rows = (await this.#api.messages(sessionId, null, signal)) ?? [];
    const own = rows.flatMap(({ info }) =>
      info.role === "assistant" ? [{ messageId: info.id, createdAt: info.time.created, ...usageOf(info) }] : [],
    );
    const used = [...own, ...(await this.below(rows, signal))];
    if (ended) this.#ended.set(sessionId, used);
    return used;
  }
}

function subtasksIn(part: Part): Subtask[] {
  if (part.type !== "tool" || part.tool !== "task" || part.state.status === "pending") return [];
  const sessionId = part.state.metadata?.sessionId;
  return typeof sessionId === "string" ? [{ sessionId, ended: part.state.status !== "running" }] : [];
}
