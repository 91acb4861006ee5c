/** A whole engine on a real store file, with lanes on the in-memory agent. */

import { dirname } from "node:path";
import { memoryRuntime } from "./memory-runtime.mjs";
import { defaultPolicy, openSqliteStore, startEngine } from "./modules.mjs";

/** `runtime` and `work` are for a store that a daemon opens later. */
export async function startMemoryWaybill({ path, lanes, runtime = memoryRuntime(), work = "/" }) {
  const errors = [];
  const settings = { runtime: runtime.kind, directory: work };
  const engine = await startEngine({
    store: openSqliteStore({ path }),
    policy: defaultPolicy,
    lanes: Array.from({ length: lanes }, (_, index) => newLane(`lane-${index}`, settings)),
    runtimes: () => [runtime],
    // No team here uses inbox files.
    teamFiles: { stateDirectory: dirname(path), takeLock: () => ({ release() {} }) },
    onError: ({ error }) => errors.push(error),
  });
  const closed = new Map();
  engine.store.onLog((items) => {
    for (const { type, record } of items) {
      if (type !== "delivery" || !isClosed(record)) continue;
      closed.get(record.messageId)?.();
      closed.delete(record.messageId);
    }
  });
  let [turns, awaited] = [0, { turns: 0, resolve: () => {} }];
  engine.store.onLog((items) => {
    turns += items.filter((item) => item.type === "event" && item.event.type === "turn.ended").length;
    if (turns >= awaited.turns) awaited.resolve();
  });
  return {
    engine,
    errors,
    /** Resolves when the events of this many turns since the start are durable: they may lag behind the deliveries. */
    recorded: (count) =>
      new Promise((resolve) => {
        awaited = { turns: count, resolve };
        if (turns >= count) resolve();
      }),
    admit: (id, lane, text) => engine.admission.admit({ id, to: { lane: `lane-${lane}` }, from: "user", text }),
    /** Resolves when the message is answered and read, and its turn has ended. Call it before the message is admitted. */
    closed: (id) => new Promise((resolve) => closed.set(id, resolve)),
    close: () => engine.close(),
  };
}

export function newLane(id, settings = {}) {
  const none = { displayName: null, team: null, member: null, agent: null, model: null };
  return { id, runtime: "memory", directory: "/", contract: "text", createdAt: Date.now(), ...none, ...settings };
}

export function isClosed({ status, readCommittedAt, turnEndedAt }) {
  return status === "responded" && readCommittedAt !== null && turnEndedAt !== null;
}
