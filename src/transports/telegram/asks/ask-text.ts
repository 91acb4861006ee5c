/** The text that a chat shows for an ask: what the agent wants, and how it ended. Pure. */
import { readDetail } from "../../../core/turn/signal.ts";
import type { Question, UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { AskDecision } from "../../../service/service.ts";
import { diffFence, fence } from "../text/fenced-blocks.ts";
import type { ChatAsk } from "./chat-asks.ts";

const maxTitle = 600;
const maxQuestion = 2000;
const maxDescription = 150;

export function permissionText(title: string, detail: unknown, directory: string): string {
  const parts = [
    "🔐 The agent asks for permission:",
    fence(shortened(title, maxTitle)),
    permissionDetail(title, detail),
    `In \`${shortened(directory, maxTitle).replaceAll("`", "'")}\``,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

export function questionText({ header, question, options }: Question, part: number, count: number): string {
  const number = count === 1 ? "" : ` (${part + 1} of ${count})`;
  const about = header === null || header === "" ? "" : `**${header}**\n`;
  const explained = options.filter(({ description }) => description !== null && description !== "");
  const lines = explained.map(
    ({ label, description }) => `- ${label}: ${shortened(description ?? "", maxDescription)}`,
  );
  const list = lines.length === 0 ? "" : `\n\n${shortened(lines.join("\n"), maxQuestion / 2)}`;
  return `❓ The agent asks${number}:\n\n${about}${shortened(question, maxQuestion)}${list}`;
}

function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** Keeps the ask in one message, even on servers that accept only 4,096 characters. */
const maxDetail = 2500;

/** What a tool wants to do, as far as the agent program reports it. Empty when the title already contains everything. */
function permissionDetail(title: string, detail: unknown): string {
  const { fields, diff } = readDetail(detail);
  const change = diff ?? replacement(fields);
  if (change !== null) return diffFence(bounded(change));
  const command = textOf(fields.command);
  if (command !== null) return title.includes(command) ? "" : fence(bounded(command), "sh");
  const content = textOf(fields.content);
  if (content !== null) return fence(bounded(content));
  const unsaid = Object.entries(fields).filter(([, value]) => !title.includes(String(value)));
  return unsaid.length === 0 ? "" : fence(bounded(JSON.stringify(Object.fromEntries(unsaid), null, 2)), "json");
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function replacement({ old_string: before, new_string: after }: Readonly<Record<string, unknown>>): string | null {
  if (typeof before !== "string" || typeof after !== "string") return null;
  const lines = (text: string, mark: string) => (text === "" ? [] : text.split("\n").map((line) => `${mark}${line}`));
  return [...lines(before, "-"), ...lines(after, "+")].join("\n");
}

function bounded(text: string): string {
  if (text.length <= maxDetail) return text;
  const end = text.slice(0, maxDetail).replace(/[\uD800-\uDBFF]$/, "");
  return `${end}\n… (${text.length - end.length} more characters)`;
}

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

function decisionWords(decision: AskDecision["decision"]): string {
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
