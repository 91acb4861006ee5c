/** The ledger's record of a delivery, in words for newcomers. Pure. */
import type { DeliveryDetail } from "waybill/client";
import type { IconName } from "../ui/icon.tsx";
import type { Tone } from "../ui/note.tsx";

export type DemoStep = {
  key: string;
  /** Milliseconds. */
  at: number;
  tone: Tone;
  icon: IconName;
  words: string;
  /** What it means. */
  why: string;
  /** What the agent said. */
  quote: string | null;
};

export type DemoDelivery = Pick<DeliveryDetail, "audit" | "replies" | "proof" | "missingFiles">;

type StepWords = Pick<DemoStep, "tone" | "icon" | "words" | "why">;

const say = (tone: Tone, icon: IconName, words: string, why: string): StepWords => ({ tone, icon, words, why });

export function demoSteps(delivery: DemoDelivery): DemoStep[] {
  let attempt = 0;
  const recorded = delivery.audit.flatMap(({ at, event, why }, index): DemoStep[] => {
    if (event === "submit") attempt += 1;
    const step = stepWords(event, why, attempt, delivery);
    const quote = event === "proven" ? answerText(delivery) : null;
    return step ? [{ key: `${index} ${event}`, at: Date.parse(at), ...step, quote }] : [];
  });
  const remarks = delivery.replies.flatMap(({ id, outcome, text, createdAt }): DemoStep[] => {
    if (outcome !== "acknowledgement") return [];
    const why = "Only an acknowledgement. You see it, but it is not an answer.";
    return [{ key: id, at: Date.parse(createdAt), ...say("wait", "check", "Acknowledged", why), quote: text }];
  });
  return [...recorded, ...remarks].toSorted((one, other) => one.at - other.at);
}

/** Null for events that mean nothing to a newcomer. */
function stepWords(event: string, why: string, attempt: number, delivery: DemoDelivery): StepWords | null {
  switch (event) {
    case "admitted":
      return say("plain", "check", "Saved", "It is on disk, and cannot be lost.");
    case "submit":
      return attempt > 1
        ? say("busy", "retry", "Asked again", `Attempt ${attempt}. The transcript was checked first.`)
        : say("busy", "send", "Sent", "The attempt was stored first, so a crash cannot repeat it.");
    case "send_again":
      return say("busy", "send", "Sent again", "With the same ids, so the agent handles it once.");
    case "accepted":
      return say("busy", "check", "Accepted", "The agent program accepted it. That proves nothing yet.");
    case "acceptance_unknown":
      return say("wait", "search", "Unclear", "The transcript is read before anything is sent again.");
    case "not_sent":
      return say("wait", "clock", "Not sent", why);
    case "unanswered":
      return say("wait", "search", "No answer", why);
    case "failed_retryable":
      return say("wait", "search", "The turn failed", why);
    case "proven":
      return provenWords(delivery.proof);
    case "files_checked":
      return delivery.missingFiles.length === 0
        ? say("good", "file", "Files checked", "The files named in the answer exist.")
        : say("wait", "file", "Files are missing", `Named but not on disk: ${delivery.missingFiles.join(", ")}.`);
    case "submit_follow_up":
      return say("busy", "send", "Follow-up", "The agent is asked to say something about its work.");
    case "retried_by_person":
      return say("busy", "retry", "Retried", "A person retried it.");
    case "failed_terminal":
      return say("bad", "cross", "Failed", `${why} You can retry or cancel it.`);
    case "cancelled":
    case "withdrawn":
      return say("plain", "cross", "Cancelled", why);
    default:
      return null;
  }
}

function provenWords(proof: DemoDelivery["proof"]): StepWords {
  switch (proof) {
    case "tool":
      return say("good", "checks", "Done", "The work is in the agent's own transcript. That is the proof.");
    case "destination_reply":
    case "visible_reply":
      return say("good", "checks", "Answered", "The reply arrived where it belongs. That is the proof.");
    case "notified_turn":
      return say("good", "checks", "Noted", "The agent has read it. No answer was needed.");
    case "plain_text":
    case null:
      return say("good", "checks", "Answered", "The answer is in the agent's own transcript. That is the proof.");
    default:
      return proof satisfies never;
  }
}

function answerText({ replies }: DemoDelivery): string | null {
  const answer = replies.findLast(
    ({ from, outcome }) => from !== "waybill" && outcome !== "acknowledgement" && outcome !== "provider_error",
  );
  return answer?.text ?? null;
}
