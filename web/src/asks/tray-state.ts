/** The tray's state: whether it is folded, which ask is unfolded, which were just answered, and which disappeared. */
import { createStore } from "../live/store.ts";

export type Tray = {
  /** Null until a person chooses: the view decides. */
  isFolded: boolean | null;
  /** Null for the one of the lane in view, else the oldest. */
  open: string | null;
};

const untouched: Tray = { isFolded: null, open: null };

export const tray = createStore<Tray>(untouched);

export function resetTray(): void {
  tray.set(untouched);
}

/** Answered from this page. The daemon may list them for a moment longer. */
export const answeredHere = createStore<ReadonlySet<string>>(new Set());
const forgetAnsweredMs = 5000;

let lastAnswer = Number.NEGATIVE_INFINITY;

export function lastAnsweredAt(): number {
  return lastAnswer;
}

export function noteAnswered(askId: string): void {
  lastAnswer = performance.now();
  answeredHere.set(new Set([...answeredHere.latest(), askId]));
  setTimeout(() => {
    const others = [...answeredHere.latest()].filter((id) => id !== askId);
    answeredHere.set(new Set(others));
  }, forgetAnsweredMs);
}

/** An ask that ended while a person was answering it. */
export type GoneAsk = { id: string; lane: string };

export const goneAsks = createStore<readonly GoneAsk[]>([]);
const forgetGoneMs = 15_000;

export function noteGone(gone: GoneAsk): void {
  if (goneAsks.latest().some(({ id }) => id === gone.id)) return;
  goneAsks.set([...goneAsks.latest(), gone]);
  setTimeout(() => forgetGone(gone.id), forgetGoneMs);
}

export function forgetGone(id: string): void {
  goneAsks.set(goneAsks.latest().filter((gone) => gone.id !== id));
}

export function openAsk(id: string | null): void {
  tray.set({ isFolded: false, open: id });
}

/** Unfolds and focuses an ask, so that the next key applies to it. */
export function focusAsk(id: string | null = null): void {
  openAsk(id);
  // It is rendered one frame after the state changes, and drawn in the next.
  requestAnimationFrame(() => requestAnimationFrame(() => focusCard("div[data-ask]")));
}

export function focusCard(selector: string): boolean {
  const card = document.querySelector<HTMLElement>(selector);
  card?.focus();
  return card !== null;
}
