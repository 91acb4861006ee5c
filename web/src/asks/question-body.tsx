/** The questions of an ask with their options, and a field for a free answer. */
import type { Ask } from "waybill/client";
import type { Question } from "../live/turns.ts";
import { Button, Kbd } from "../ui/button.tsx";
import { proseText } from "../ui/safe-text.ts";
import { AskActions } from "./ask-actions.tsx";
import type { AskDraft } from "./ask-draft.ts";
import type { Choice } from "./question-choices.ts";
import { answersOf, chooseOption, chooseOther, noChoice, writeOther } from "./question-choices.ts";
import type { Answering } from "./use-answer.ts";

/** A program may report only its question, without options. */
export function questionsIn({ questions, title }: Pick<Ask, "questions" | "title">): readonly Question[] {
  if (questions.length > 0) return questions;
  return [{ header: null, question: title, options: [], multiple: false }];
}

type QuestionBodyProps = {
  ask: Ask;
  draft: AskDraft;
  onChoice: (index: number, choice: Choice) => void;
  answering: Answering;
};

export function QuestionBody({ ask, draft, onChoice, answering }: QuestionBodyProps) {
  const questions = questionsIn(ask);
  const answers = answersOf(questions, draft.choices);
  const { answer, isArmed, isPending } = answering;
  const isIdle = !isArmed || isPending;
  return (
    <>
      {questions.map((question, index) => (
        <QuestionField
          key={`${question.header} ${question.question}`}
          name={`${ask.id} ${index}`}
          index={index}
          question={question}
          choice={draft.choices[index] ?? noChoice}
          onChange={(choice) => onChoice(index, choice)}
        />
      ))}
      <AskActions>
        <Button
          look="primary"
          keys="⏎"
          aria-disabled={isIdle || answers === null}
          className="aria-disabled:opacity-50"
          onClick={() => answers && answer({ decision: "once", answers })}
        >
          Answer
        </Button>
        <Button look="danger" keys="n" aria-disabled={isIdle} onClick={() => answer({ decision: "reject" })}>
          Reject
        </Button>
        {isPending && <span className="text-sm text-muted">Telling the agent…</span>}
      </AskActions>
    </>
  );
}

type QuestionFieldProps = {
  name: string;
  index: number;
  question: Question;
  choice: Choice;
  onChange: (choice: Choice) => void;
};

function QuestionField({ name, index, question, choice, onChange }: QuestionFieldProps) {
  const { header, options, multiple } = question;
  const type = multiple ? "checkbox" : "radio";
  return (
    <fieldset data-question={index} className="min-w-0">
      <legend className="mb-1 wrap-anywhere whitespace-pre-wrap">
        {header && <span className="mr-2 text-sm text-faint">{proseText(header)}</span>}
        <span className="font-medium">{proseText(question.question)}</span>
        {multiple && <span className="ml-2 text-sm text-faint">choose any</span>}
      </legend>
      <div className="flex flex-col">
        {options.map(({ label, description }, option) => (
          <label
            key={label}
            className="flex min-h-7 items-baseline gap-2 rounded-md px-1.5 py-1 hover:bg-hover has-checked:bg-selected"
          >
            <input
              type={type}
              name={name}
              data-option={option}
              checked={choice.chosen.includes(option)}
              onChange={() => onChange(chooseOption(choice, option, question))}
              className="size-3.5 shrink-0 translate-y-0.5 accent-accent"
            />
            {option < 9 && (
              <span className="text-faint">
                <Kbd>{String(option + 1)}</Kbd>
              </span>
            )}
            <span className="min-w-0 wrap-anywhere">
              {proseText(label)}
              {description && <span className="ml-2 text-muted">{proseText(description)}</span>}
            </span>
          </label>
        ))}
        <OtherField name={name} type={type} question={question} choice={choice} onChange={onChange} />
      </div>
    </fieldset>
  );
}

type OtherFieldProps = Omit<QuestionFieldProps, "index"> & { type: "checkbox" | "radio" };

function OtherField({ name, type, question, choice, onChange }: OtherFieldProps) {
  const isAlone = question.options.length === 0;
  const label = isAlone ? "Your answer" : "Something else";
  return (
    <div className="flex min-h-7 items-center gap-2 rounded-md px-1.5 py-0.5">
      {!isAlone && (
        <input
          type={type}
          name={name}
          aria-label={label}
          checked={choice.usesOther}
          onChange={() => onChange(chooseOther(choice, question))}
          className="size-3.5 shrink-0 accent-accent"
        />
      )}
      <input
        type="text"
        aria-label={isAlone ? label : `${label}, in your words`}
        placeholder={label}
        maxLength={10_000}
        value={choice.other}
        onChange={(event) => onChange(writeOther(choice, event.target.value, question))}
        className="h-7 min-w-0 grow rounded-md border border-line bg-surface px-2 placeholder:text-faint hover:border-line-strong"
      />
    </div>
  );
}
