/**
 * Running calls, by caller and request. Clients of the older revision leave the request open and cancel it with another
 * request, which a server without sessions must match with the first.
 *
 * Two clients of one caller may use the same ids. A cancelled call returns what it knows so far, so cancelling the
 * wrong one does no harm.
 */
import type { RequestId } from "@modelcontextprotocol/server";
import type { Caller } from "../../service/agent-service.ts";

export type RunningCalls = {
  /** The returned function removes it. */
  add(caller: Caller, id: RequestId, call: AbortController): () => void;
  cancel(caller: Caller, id: RequestId): void;
};

export function makeRunningCalls(): RunningCalls {
  const running = new Map<string, Set<AbortController>>();
  return {
    add(caller, id, call) {
      const key = keyOf(caller, id);
      const calls = running.get(key) ?? new Set();
      running.set(key, calls.add(call));
      return () => {
        calls.delete(call);
        if (calls.size === 0 && running.get(key) === calls) running.delete(key);
      };
    },
    cancel(caller, id) {
      for (const call of running.get(keyOf(caller, id)) ?? []) call.abort();
    },
  };
}

function keyOf(caller: Caller, id: RequestId): string {
  return JSON.stringify([caller.kind === "lane" ? [caller.lane] : [caller.team, caller.member], id]);
}
