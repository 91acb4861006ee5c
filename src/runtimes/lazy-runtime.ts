/**
 * A runtime that no lane uses yet: its code is loaded when a lane first needs it. Until then it knows only its
 * descriptor, has no sessions, and reports nothing.
 */
import { AppError } from "../platform/app-error.ts";
import { programPart } from "../platform/program-part.ts";
import type { RuntimeDescriptor } from "./descriptor.ts";
import type { Hint, Runtime, SignalListener } from "./port.ts";

type Known = Pick<RuntimeDescriptor, "kind" | "name" | "traits" | "idsFrom" | "offers">;

export function lazyRuntime({ kind, name, traits, idsFrom, offers }: Known, load: () => Promise<Runtime>): Runtime {
  const hintListeners = new Set<(hint: Hint) => void>();
  const signalListeners = new Set<SignalListener>();
  let loading: Promise<Runtime> | null = null;
  let loaded: Runtime | null = null;
  let closed = false;

  const start = async (): Promise<Runtime> => {
    const runtime = await programPart(load);
    runtime.onHint((hint) => {
      for (const listener of hintListeners) listener(hint);
    });
    runtime.onSignal((laneId, signal) => {
      for (const listener of signalListeners) listener(laneId, signal);
    });
    await runtime.recover();
    loaded = runtime;
    return runtime;
  };
  const use = (): Promise<Runtime> => {
    if (closed) throw new AppError({ code: "runtime_closed", message: `${name} is closed.` });
    // A failed load may succeed next time.
    loading ??= start().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
  /** A method that loads the runtime and then calls it. */
  const method =
    <M extends AsyncMethod>(called: M) =>
    async (...args: Parameters<Required<Runtime>[M]>): Promise<Awaited<ReturnType<Required<Runtime>[M]>>> => {
      const runtime = (await use()) as Required<Runtime>;
      return (runtime[called] as (...args: unknown[]) => never)(...args);
    };

  return {
    kind,
    traits,
    idsFrom,
    async recover() {},
    health: method("health"),
    notices: (lane) => loaded?.notices?.(lane) ?? [],
    programs: () => loaded?.programs?.() ?? [],
    ...Object.fromEntries(offers.map((offered) => [offered, method(offered)])),
    openSession: method("openSession"),
    laneRemoved: (laneId, sessionIds) => loaded?.laneRemoved?.(laneId, sessionIds),
    read: method("read"),
    submit: method("submit"),
    abort: method("abort"),
    answer: method("answer"),
    resync: method("resync"),
    onHint: (listener) => subscribe(hintListeners, listener),
    onSignal: (listener) => subscribe(signalListeners, listener),
    async close(options) {
      closed = true;
      const runtime = await loading?.catch(() => null);
      await runtime?.close(options);
    },
  };
}

type AsyncMethod =
  | "health"
  | "openSession"
  | "read"
  | "submit"
  | "abort"
  | "answer"
  | "resync"
  | RuntimeDescriptor["offers"][number];

function subscribe<L>(listeners: Set<L>, listener: L): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
