/**
 * What pi asks a person, and the answers in the words that it takes. The asks of Waybill's own extension carry a call of
 * a tool; those of the user's own extensions are plain dialogs, and are put to a person as questions. Pure.
 */

import type { Ask } from "../../../core/transcript/transcript.ts";
import type { Said } from "../../../core/turn/signal.ts";
import type { Question } from "../../../core/turn/universal-event.ts";
import { permissionTitle } from "../../ask-title.ts";
import { questionsIn } from "../../asked-questions.ts";
import type { Json } from "../../json-fields.ts";
import { asList, asObject, asText, jsonIn } from "../../json-fields.ts";
import type { AskAnswer } from "../../port.ts";

export type PiAsk = Pick<Ask, "id" | "kind" | "title"> & {
  call: string | null;
  /** Of a permission: the tool and what it is called with. */
  detail: unknown;
  questions: readonly Question[];
  /** Which of pi's dialogs it is. */
  dialog: "select" | "confirm" | "input" | "editor";
  isOurs: boolean;
};

const dialogs = ["select", "confirm", "input", "editor"] as const;

/** Null for a request that waits for nobody, or that has no id. */
export function askIn(line: Json): PiAsk | null {
  const id = asText(line.id);
  const dialog = dialogs.find((one) => one === line.method);
  if (line.type !== "extension_ui_request" || id === null || dialog === undefined) return null;
  const title = asText(line.title) ?? "";
  const ours = jsonIn(title) ?? {};
  const input = asObject(ours.input) ?? {};
  const call = asText(ours.call);
  if (ours.waybill === "permission") {
    const tool = asText(ours.tool) ?? "";
    const asked = { kind: "permission" as const, title: permissionTitle(tool, input, {}), detail: { tool, input } };
    return { id, dialog, call, isOurs: true, questions: [], ...asked };
  }
  const isOurs = ours.waybill === "question";
  const questions = isOurs ? questionsIn(input) : [plainQuestion(line, dialog, title)];
  const words = questions.map(({ question }) => question).filter((question) => question !== "");
  return {
    id,
    dialog,
    call,
    isOurs,
    questions,
    kind: "question",
    title: words.join(" / ") || "a question",
    detail: null,
  };
}

function plainQuestion(line: Json, dialog: PiAsk["dialog"], title: string): Question {
  const labels = dialog === "select" ? asList(line.options).flatMap((one) => asText(one) ?? []) : [];
  const more = asText(line.message);
  return {
    header: null,
    question: more === null ? title : `${title}: ${more}`,
    options: (dialog === "confirm" ? [yes, "No"] : labels).map((label) => ({ label, description: null })),
    multiple: false,
  };
}

const yes = "Yes";

export function askSays({ id: ask, kind, title, call, detail, questions }: PiAsk): Said {
  return kind === "permission"
    ? { type: "permission", ask, title, call, detail }
    : { type: "question", ask, call, questions };
}

/** The line that answers it. Nobody's answer takes a dialog back. */
export function answerTo(ask: PiAsk, answer: AskAnswer | null): Json {
  const { id, kind, dialog, isOurs, questions } = ask;
  const response = { type: "extension_ui_response", id };
  if (answer === null) return { ...response, cancelled: true };
  if (kind === "permission") return { ...response, value: answer.decision };
  if (answer.decision === "reject") return { ...response, cancelled: true };
  const chosen = answer.answers ?? [];
  if (isOurs) return { ...response, value: inWords(questions, chosen) };
  const first = chosen[0]?.[0];
  if (dialog === "confirm") return { ...response, confirmed: first === yes };
  return first === undefined ? { ...response, cancelled: true } : { ...response, value: first };
}

/** As the agent reads it. */
function inWords(questions: readonly Question[], answers: readonly (readonly string[])[]): string {
  const lines = questions.map(
    ({ question }, place) => `${question}\n${(answers[place] ?? []).join(", ") || "(no answer)"}`,
  );
  return lines.join("\n\n");
}
