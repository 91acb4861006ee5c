/** A started answer. It survives folding the tray and a failed request. */
import { useState } from "react";
import type { Choice } from "./question-choices.ts";

export type AskDraft = {
  /** The reason for rejecting; null while none is being written. */
  reason: string | null;
  /** By question. */
  choices: readonly Choice[];
};

const empty: AskDraft = { reason: null, choices: [] };
const kept = new Map<string, AskDraft>();
const maxKept = 100;

export function useAskDraft(askId: string): [AskDraft, (fields: Partial<AskDraft>) => void] {
  const [draft, setDraft] = useState(() => kept.get(askId) ?? empty);
  const change = (fields: Partial<AskDraft>) => {
    const next = { ...draft, ...fields };
    setDraft(next);
    kept.set(askId, next);
    for (const oldest of kept.keys()) {
      if (kept.size <= maxKept) break;
      kept.delete(oldest);
    }
  };
  return [draft, change];
}

export function hasDraft(askId: string): boolean {
  return kept.has(askId);
}
