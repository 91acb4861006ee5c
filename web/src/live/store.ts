/**
 * A value that components subscribe to. Readers see changes immediately; components are notified at most once per
 * frame, so a thousand words per second cost no more renders than the screen can show.
 */
import { useSyncExternalStore } from "react";

export type Store<T> = {
  /** The value that components were last notified of. */
  get(): T;
  /** The current value. */
  latest(): T;
  set(value: T): void;
  subscribe(listener: () => void): () => void;
};

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  let shown = initial;
  let isScheduled = false;
  const listeners = new Set<() => void>();
  const tell = () => {
    isScheduled = false;
    shown = value;
    for (const listener of listeners) listener();
  };
  return {
    get: () => shown,
    latest: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      if (isScheduled) return;
      isScheduled = true;
      nextFrame(tell);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A page in the background gets no frames, but must still update. */
export function nextFrame(run: () => void): void {
  if (document.hidden) setTimeout(run, 100);
  else requestAnimationFrame(run);
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}
