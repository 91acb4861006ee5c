/** The agents' tool calls without a result, by lane: what an ask is about. */
import type { UniversalEvent } from "../core/turn/universal-event.ts";

/** `input` is null while the agent is still writing it. */
export type OpenCall = { tool: string | null; input: unknown };

export class OpenCalls {
  readonly #lanes = new Map<string, Map<string, OpenCall>>();

  find(laneId: string, call: string): OpenCall | null {
    return this.#lanes.get(laneId)?.get(call) ?? null;
  }

  take(event: UniversalEvent): void {
    const { type, lane, data } = event;
    if (type === "turn.ended") this.#lanes.delete(lane);
    else if (type === "item.started" && data.item.kind === "tool_call") {
      this.#add(lane, callOf(data.item.id), { tool: data.item.name, input: null });
    } else if (type === "item.completed") {
      const [part] = data.item.parts;
      if (part?.type === "tool_call") this.#add(lane, part.call, { tool: part.name, input: part.input });
      else if (part?.type === "tool_result") this.#lanes.get(lane)?.delete(part.call);
    }
  }

  laneRemoved(laneId: string): void {
    this.#lanes.delete(laneId);
  }

  #add(lane: string, id: string, call: OpenCall): void {
    const calls = this.#lanes.get(lane) ?? new Map<string, OpenCall>();
    this.#lanes.set(lane, calls.set(id, call));
  }
}

/** Items of calls are named `call:ID`. */
function callOf(item: string): string {
  return item.slice(item.indexOf(":") + 1);
}
