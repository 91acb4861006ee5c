/** The text for how an ask ended: the decision and who made it, or that it was made elsewhere. Pure. */
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { ChatAsk } from "./chat-ask.ts";

type Decision = "once" | "always" | "reject";
type PermissionOutcome = Extract<UniversalEvent, { type: "permission.resolved" }>["data"]["outcome"];
type QuestionEnd = Omit<Extract<UniversalEvent, { type: "question.resolved" }>["data"], "ask">;

export const expiredWords = "⌛ Expired: the agent is no longer waiting for an answer.";

/** What people in the chats decided, for each message of the ask. */
export function decidedHere(ask: ChatAsk): string[] {
  if (ask.kind === "question") return ask.answers.map((answer) => (answer ? answerWords(answer) : expiredWords));
  const { decision } = ask;
  if (!decision) return [expiredWords];
  return [`${decisionWords(decision.decision)} by ${decision.by}${reasonWords(decision.reason)}`];
}

export function permissionVerdict(ask: ChatAsk, outcome: PermissionOutcome): string[] {
  if (outcome === "expired") return [expiredWords];
  const here = ask.decision;
  // The agent program may grant less than the person allowed.
  const isOurs = here?.decision === outcome || (here?.decision === "always" && outcome === "once");
  return isOurs ? decidedHere(ask) : [`${decisionWords(outcome)} elsewhere.`];
}

export function questionVerdict(ask: ChatAsk, { outcome, answers }: QuestionEnd): string[] {
  switch (outcome) {
    case "expired":
      return ask.texts.map(() => expiredWords);
    case "reject":
      return ask.texts.map(() => "❌ Dismissed elsewhere.");
    case "answered": {
      const labels = (part: number) => answers?.[part] ?? [];
      return ask.texts.map((_, part) => {
        const here = ask.answers[part];
        const isOurs = here && JSON.stringify(here.labels) === JSON.stringify(labels(part));
        return isOurs ? answerWords(here) : `✅ Answered elsewhere: ${labels(part).join(", ") || "(no answer)"}`;
      });
    }
    default:
      return outcome satisfies never;
  }
}

export function answerWords({ labels, by }: { labels: readonly string[]; by: string }): string {
  return `✅ ${by}: ${labels.join(", ")}`;
}

function decisionWords(decision: Decision): string {
  switch (decision) {
    case "once":
      return "✅ Allowed once";
    case "always":
      return "✅ Always allowed";
    case "reject":
      return "❌ Rejected";
    default:
      return decision satisfies never;
  }
}

function reasonWords(reason: string | null): string {
  return reason === null ? "." : `: ${reason.slice(0, 500)}`;
}
