/**
 * pi's asks, and the responses to them. Asks from Waybill's own extension carry a tool call; those from the user's own
 * extensions are plain dialogs, which become questions. Pure.
 */
import type { Question } from "../../core/turn/universal-event.ts";
import type { Json } from "../json-fields.ts";
import { asList, asObject, asText, jsonIn } from "../json-fields.ts";
import type { AskAnswer } from "../port.ts";
import type { AgentAsk } from "../process-pool/asks.ts";
import { permissionTitle, questionsIn, questionsTitle } from "../process-pool/asks.ts";
import { rejectionFor } from "./extension/gate-protocol.ts";

const dialogs = ["select", "confirm", "input", "editor"] as const;

export type PiAsk = AgentAsk & {
  dialog: (typeof dialogs)[number];
  /** Whether the ask comes from Waybill's own extension. */
  isOurs: boolean;
};

/** Null for a request that needs no response, or that has no id. */
export function askIn(line: Json): PiAsk | null {
  const id = asText(line.id);
  const dialog = dialogs.find((one) => one === line.method);
  if (line.type !== "extension_ui_request" || id === null || dialog === undefined) return null;
  const title = asText(line.title) ?? "";
  const ours = jsonIn(title) ?? {};
  const input = asObject(ours.input) ?? {};
  const base = { id, dialog, call: asText(ours.call) };
  if (ours.waybill === "permission") {
    const tool = asText(ours.tool) ?? "";
    const permission = { kind: "permission" as const, title: permissionTitle(tool, input), detail: { tool, input } };
    return { ...base, isOurs: true, questions: [], ...permission };
  }
  const isOurs = ours.waybill === "question";
  const questions = isOurs ? questionsIn(input) : [dialogQuestion(line, dialog, title)];
  return { ...base, isOurs, questions, kind: "question", title: questionsTitle(questions), detail: null };
}

const yes = "Yes";

function dialogQuestion(line: Json, dialog: PiAsk["dialog"], title: string): Question {
  const labels = dialog === "select" ? asList(line.options).flatMap((one) => asText(one) ?? []) : [];
  const message = asText(line.message);
  return {
    header: null,
    question: message === null ? title : `${title}: ${message}`,
    options: (dialog === "confirm" ? [yes, "No"] : labels).map((label) => ({ label, description: null })),
    multiple: false,
  };
}

/** The response line. Without an answer the dialog is cancelled. */
export function dialogResponse({ id, kind, dialog, isOurs, questions }: PiAsk, answer: AskAnswer | null): Json {
  const response = { type: "extension_ui_response", id };
  const cancelled = { ...response, cancelled: true };
  if (answer === null) return cancelled;
  if (kind === "permission") {
    const { decision, message } = answer;
    const isExplained = decision === "reject" && message !== undefined;
    return { ...response, value: isExplained ? rejectionFor(message) : decision };
  }
  if (answer.decision === "reject") return cancelled;
  const answers = answer.answers ?? [];
  if (isOurs) return { ...response, value: answersText(questions, answers) };
  const first = answers[0]?.[0];
  if (dialog === "confirm") return { ...response, confirmed: first === yes };
  return first === undefined ? cancelled : { ...response, value: first };
}

/** The answers as the agent reads them. */
function answersText(questions: readonly Question[], answers: readonly (readonly string[])[]): string {
  const texts = questions.map(
    ({ question }, index) => `${question}\n${(answers[index] ?? []).join(", ") || "(no answer)"}`,
  );
  return texts.join("\n\n");
}
