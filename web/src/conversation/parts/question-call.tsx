/** A tool call that asked a person: its questions with their options, and which were chosen. */
import type { Question, ShownItem } from "../../live/turns.ts";
import { Icon } from "../../ui/icon.tsx";
import { proseText } from "../../ui/safe-text.ts";
import type { AskedQuestions } from "./asked-questions.ts";
import { answerWords, ownAnswers } from "./asked-questions.ts";
import { RawInput, RawOutput } from "./raw-call.tsx";
import type { ToolState } from "./tool-frame.tsx";
import { ToolFrame, toolState } from "./tool-frame.tsx";

/** Of a question, on one line. */
const maxCharacters = 200;

type QuestionCallProps = { call: ShownItem; result: ShownItem | null; asked: AskedQuestions };

export function QuestionCall({ call, result, asked }: QuestionCallProps) {
  const { questions, answers } = asked;
  return (
    <ToolFrame
      call={call}
      result={result}
      state={stateOf(call, result, asked)}
      summary={
        <span className="min-w-0 grow truncate text-muted">
          {questions.map(({ question }) => proseText(question.slice(0, maxCharacters))).join(" ")}
        </span>
      }
    >
      {questions.map((question, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the questions of a call keep their places
        <AskedQuestion key={index} question={question} answers={answers?.[index] ?? []} />
      ))}
      {answers === null && <RawOutput result={result} />}
      <details className="text-sm">
        <summary className="text-muted">Input and output as sent</summary>
        <RawInput call={call} />
        {answers !== null && <RawOutput result={result} />}
      </details>
    </ToolFrame>
  );
}

function stateOf(call: ShownItem, result: ShownItem | null, asked: AskedQuestions): ToolState {
  if (asked.isWaiting) return { words: "waiting for you", icon: "hand", className: "text-wait" };
  const state = toolState(call, result);
  if (asked.outcome === "answered") return { ...state, words: state.words || proseText(answerWords(asked)) };
  return asked.outcome === "expired" ? { ...state, words: "expired" } : state;
}

function AskedQuestion({ question, answers }: { question: Question; answers: readonly string[] }) {
  const { header, options } = question;
  const own = ownAnswers(question, answers);
  return (
    <div role="group" aria-label={proseText(question.question)}>
      <p className="wrap-anywhere whitespace-pre-wrap">
        {header && <span className="mr-2 text-sm text-faint">{proseText(header)}</span>}
        <span className="font-medium">{proseText(question.question)}</span>
      </p>
      <ul className="flex flex-col">
        {options.map(({ label, description }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the options of a question keep their places
          <Answer key={index} isChosen={answers.includes(label)} text={label} description={description} />
        ))}
        {own.map((answer) => (
          <Answer key={answer} isChosen text={answer} description={null} />
        ))}
      </ul>
    </div>
  );
}

type AnswerProps = { isChosen: boolean; text: string; description: string | null };

function Answer({ isChosen, text, description }: AnswerProps) {
  return (
    <li className="flex items-baseline gap-2 py-0.5">
      <span className="flex w-3.5 shrink-0 translate-y-0.5 justify-center">
        {isChosen ? (
          <Icon name="check" className="size-3.5 text-good" />
        ) : (
          <span className="size-1 -translate-y-1 self-center rounded-full bg-line-strong" aria-hidden="true" />
        )}
      </span>
      <span className="min-w-0 wrap-anywhere">
        <span className={isChosen ? "font-medium" : "text-muted"}>{proseText(text)}</span>
        {isChosen && <span className="sr-only"> (chosen)</span>}{" "}
        {description && <span className="ml-1 text-faint">{proseText(description)}</span>}
      </span>
    </li>
  );
}
