/** Every call of the bot, in order of arrival. It does not contain the token. */
import type { UploadedFile } from "../methods/method.ts";

export type CallOutcome =
  | { type: "running" }
  | { type: "answered"; status: number; body: unknown }
  /** The connection ended before the answer. */
  | { type: "lost" };

export type Call = {
  id: number;
  method: string;
  /** Files appear by name and size. */
  params: Record<string, unknown>;
  at: number;
  outcome: CallOutcome;
};

/** "handled": the call has taken effect, but its answer has not been sent yet. */
export type CallStage = "arrived" | "handled" | "answered" | "lost";
export type CallListener = (stage: CallStage, call: Call) => void;

export type CallLog = {
  add(method: string, params: Record<string, unknown>, files: ReadonlyMap<string, UploadedFile>): Call;
  notify(stage: CallStage, call: Call): void;
  calls(method?: string): Call[];
  counts(): Record<string, number>;
  listen(listener: CallListener): () => void;
};

export function createCallLog(now: () => number, token: string): CallLog {
  const calls: Call[] = [];
  const listeners = new Set<CallListener>();
  return {
    add(method, params, files) {
      const uploads = [...files].map(([name, file]) => [name, { name: file.name, size: file.bytes.length }]);
      const call: Call = {
        id: calls.length,
        method,
        params: masked({ ...params, ...Object.fromEntries(uploads) }, token),
        at: now(),
        outcome: { type: "running" },
      };
      calls.push(call);
      return call;
    },
    notify(stage, call) {
      for (const listener of [...listeners]) listener(stage, call);
    },
    calls: (method) => calls.filter((call) => method === undefined || call.method === method),
    counts() {
      const counts: Record<string, number> = {};
      for (const { method } of calls) counts[method] = (counts[method] ?? 0) + 1;
      return counts;
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A bot may put its token in a parameter, such as the path of a webhook. */
function masked(params: Record<string, unknown>, token: string): Record<string, unknown> {
  const text = JSON.stringify(params).replaceAll(token, "<token>");
  return JSON.parse(text);
}
