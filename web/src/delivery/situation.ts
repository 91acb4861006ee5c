/** The sentence at the top of a delivery's page: what is going on, or how it ended. Pure. */
import type { DeliveryDetail } from "waybill/client";

/** `next`: what happens next, if the sentence does not already say so. */
export type Situation = { question: string; words: string; next: string | null };

/** Before that, a delivery is not late. */
const lateMs = 30_000;

type Input = Pick<DeliveryDetail, "explanation" | "next" | "responsePending" | "createdAt">;

export function situationOf({ explanation: words, next, responsePending, createdAt }: Input, now: number): Situation {
  const isSaid = next.step === "nothing" || words.toLowerCase().includes(next.words.toLowerCase());
  return {
    question: questionFor(responsePending, now - Date.parse(createdAt)),
    words,
    next: isSaid ? null : next.words,
  };
}

function questionFor(isAwaited: boolean, ageMs: number): string {
  if (!isAwaited) return "How it ended";
  return ageMs > lateMs ? "Why is it late?" : "What is going on";
}

/** The agent only said that it would do it. */
export function isAcknowledged({ replies }: Pick<DeliveryDetail, "replies">): boolean {
  return replies.some(({ outcome }) => outcome === "acknowledgement");
}
