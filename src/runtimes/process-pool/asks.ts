/** The asks of agent programs (permissions and questions), and the signals that report them. Pure. */
import type { Ask } from "../../core/transcript/transcript.ts";
import type { SignalBody } from "../../core/turn/signal.ts";
import type { Question } from "../../core/turn/universal-event.ts";
import type { Json } from "../json-fields.ts";
import { asList, asObject, asText } from "../json-fields.ts";
import type { AskAnswer } from "../port.ts";

export type AgentAsk = Pick<Ask, "id" | "kind" | "title"> & {
  call: string | null;
  /** For a permission: the tool and its input. */
  detail: unknown;
  questions: readonly Question[];
};

export type AskSignal = Extract<SignalBody, { type: "permission" | "question" }>;

/** What a tool wants to do, in one line: the command, the file, the address. */
export function permissionTitle(tool: string, input: Json, description: unknown = null): string {
  const fields = ["command", "file_path", "path", "url", "query", "description"].map((name) => asText(input[name]));
  const detail = fields.find((text) => text !== null) ?? asText(description);
  return detail ? `${tool}: ${detail}` : tool;
}

/** The input of the question tool has nearly the same form in all programs. */
export function questionsIn(input: Json): Question[] {
  return asList(input.questions).map((one) => {
    const { header, question, options, multiSelect, multiple } = asObject(one) ?? {};
    return {
      header: asText(header),
      question: asText(question) ?? "",
      options: asList(options).map((option) => {
        const { label, description } = asObject(option) ?? {};
        return { label: asText(label) ?? "", description: asText(description) };
      }),
      multiple: multiSelect === true || multiple === true,
    };
  });
}

export function questionsTitle(questions: readonly Question[]): string {
  const texts = questions.map(({ question }) => question);
  return texts.filter((text) => text !== "").join(" / ") || "a question";
}

export function askSignal({ id: ask, kind, title, call, detail, questions }: AgentAsk): AskSignal {
  return kind === "permission"
    ? { type: "permission", ask, title, call, detail }
    : { type: "question", ask, call, questions };
}

export function answeredSignal({ type, ask }: AskSignal, { decision, answers = [] }: AskAnswer): SignalBody {
  if (type === "permission") return { type: "permission_over", ask, outcome: decision };
  const isRejected = decision === "reject";
  return {
    type: "question_over",
    ask,
    outcome: isRejected ? "reject" : "answered",
    answers: isRejected ? null : answers,
  };
}

export function expiredSignal({ type, ask }: AskSignal): SignalBody {
  if (type === "permission") return { type: "permission_over", ask, outcome: "expired" };
  return { type: "question_over", ask, outcome: "expired", answers: null };
}
