/** How long a delivery took until each step, from its admission. Pure. */
import type { DeliveryDetail } from "waybill/client";

/** Milliseconds; null for what has not happened, or was not timed. */
export type TimingSummary = {
  sent: number | null;
  accepted: number | null;
  firstToken: number | null;
  proven: number | null;
};

type Input = Pick<DeliveryDetail, "createdAt" | "acceptedAt" | "respondedAt" | "attemptList">;

export function timingSummary({ createdAt, acceptedAt, respondedAt, attemptList }: Input): TimingSummary {
  const began = Date.parse(createdAt);
  const since = (times: readonly (string | null)[]) => {
    const known = times.filter((time) => time !== null).map((time) => Date.parse(time));
    // The clock of an agent program may be behind ours.
    return known.length === 0 ? null : Math.max(0, Math.min(...known) - began);
  };
  return {
    sent: since(attemptList.map((attempt) => attempt.submittedAt)),
    // If the agent program does not report when it received the prompt, the acceptance is used.
    accepted: since(attemptList.map(({ storedAt }) => storedAt)) ?? since([acceptedAt]),
    firstToken: since(attemptList.map(({ firstTokenAt }) => firstTokenAt)),
    proven: since([respondedAt]),
  };
}
