/** What a key means while the focus is in an ask. A key meant for something else must not answer it. Pure. */
import type { Ask } from "waybill/client";

export type AskKey =
  | { type: "decide"; decision: "once" | "always" | "reject" }
  | { type: "choose"; option: number }
  | { type: "answer" };

/** Where the key was pressed: in a text field, on a control that Enter activates, or elsewhere in the ask. */
export type KeyTarget = "text" | "control" | "card";

export type PressedKey = {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  /** An input method is still composing a character. */
  isComposing: boolean;
};

export function askKeyOf(pressed: PressedKey, kind: Ask["kind"], target: KeyTarget): AskKey | null {
  const { key, shiftKey, ctrlKey, metaKey, altKey, isComposing } = pressed;
  if (ctrlKey || metaKey || altKey || isComposing) return null;
  if (key === "Enter") {
    return kind === "question" && target !== "control" && !shiftKey ? { type: "answer" } : null;
  }
  if (target === "text") return null;
  // With caps lock on, a plain "y" is a capital letter, and must not mean "always".
  const letter = key.toLowerCase();
  if (letter === "n" && !shiftKey) return { type: "decide", decision: "reject" };
  if (kind === "permission") {
    return letter === "y" ? { type: "decide", decision: shiftKey ? "always" : "once" } : null;
  }
  return /^[1-9]$/.test(key) ? { type: "choose", option: Number(key) - 1 } : null;
}

/** How long an ask ignores answers after it appears, or after it took the place of one that was answered. */
export const unarmedMs = 600;

export type Arming = { appearedAt: number; lastAnsweredAt: number };

/** When it accepts an answer. */
export function armedAt({ appearedAt, lastAnsweredAt }: Arming): number {
  return Math.max(appearedAt, lastAnsweredAt) + unarmedMs;
}

export function isArmed(arming: Arming, now: number): boolean {
  return now >= armedAt(arming);
}
