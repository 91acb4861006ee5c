/** One ask: who asks, since when, for which message, where and for what, and how to answer it. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { KeyboardEvent } from "react";
import { useRef } from "react";
import type { Ask } from "waybill/client";
import { deliveryQuery } from "../live/queries.ts";
import { errorWords, Note } from "../ui/note.tsx";
import { beginningOf, exactText, proseText } from "../ui/safe-text.ts";
import { Elapsed } from "../ui/time.tsx";
import { useAskDraft } from "./ask-draft.ts";
import type { KeyTarget } from "./ask-keys.ts";
import { askKeyOf } from "./ask-keys.ts";
import { PermissionBody } from "./permission-body.tsx";
import { takesAlways } from "./permission-request.ts";
import { QuestionBody, questionsIn } from "./question-body.tsx";
import type { Choice } from "./question-choices.ts";
import { answersOf, askedNow, chooseOption, noChoice } from "./question-choices.ts";
import { useAnswer } from "./use-answer.ts";

/** `laneName`: the display name. */
export default function AskCard({ ask, laneName }: { ask: Ask; laneName: string }) {
  const card = useRef<HTMLDivElement>(null);
  const answering = useAnswer(ask);
  const [draft, changeDraft] = useAskDraft(ask.id);
  const questions = ask.kind === "question" ? questionsIn(ask) : [];
  const choose = (index: number, choice: Choice) => {
    changeDraft({ choices: questions.map((_, at) => (at === index ? choice : (draft.choices[at] ?? noChoice))) });
  };
  const chooseByDigit = (option: number) => {
    const index = askedNow(questions, draft.choices, focusedQuestion());
    const question = index === null ? undefined : questions[index];
    if (index === null || !question || option >= question.options.length) return;
    choose(index, chooseOption(draft.choices[index] ?? noChoice, option, question));
    // The next digit is for the next question, unless this one allows several options.
    const next = question.multiple || index === questions.length - 1 ? index : index + 1;
    const input = next === index ? `[data-option="${option}"]` : "input";
    card.current?.querySelector<HTMLElement>(`[data-question="${next}"] ${input}`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { isComposing } = event.nativeEvent;
    const action = askKeyOf({ ...keysOf(event), isComposing }, ask.kind, targetOf(event.target));
    if (!action) return;
    // A key that comes too early must not reach the rest of the page either.
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat || !answering.isArmed) return;
    if (action.type === "decide") {
      if (action.decision !== "always" || takesAlways(ask)) answering.answer({ decision: action.decision });
    } else if (action.type === "choose") chooseByDigit(action.option);
    else {
      const answers = answersOf(questions, draft.choices);
      if (answers) answering.answer({ decision: "once", answers });
    }
  };
  const isPermission = ask.kind === "permission";
  return (
    <div
      ref={card}
      role="group"
      data-ask={ask.id}
      tabIndex={-1}
      aria-label={isPermission ? `${laneName} asks for permission` : `${laneName} asks a question`}
      onKeyDown={onKeyDown}
      className="flex flex-col gap-2 rounded-md border border-line-strong bg-raised px-3 py-2 -outline-offset-1 focus-within:border-accent"
    >
      <AskHeader ask={ask} laneName={laneName} />
      {isPermission ? (
        <PermissionBody ask={ask} draft={draft} onDraft={changeDraft} answering={answering} />
      ) : (
        <QuestionBody ask={ask} draft={draft} onChoice={choose} answering={answering} />
      )}
      {answering.error !== null && (
        <Note tone="bad">{errorWords(answering.error)} Nothing was answered; you can try again.</Note>
      )}
    </div>
  );
}

function keysOf({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent) {
  return { key, shiftKey, ctrlKey, metaKey, altKey };
}

function targetOf(target: EventTarget): KeyTarget {
  if (!(target instanceof HTMLElement)) return "card";
  if (target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === "text"))
    return "text";
  return target.closest("button, a, summary") ? "control" : "card";
}

function focusedQuestion(): number | null {
  const field = document.activeElement?.closest<HTMLElement>("[data-question]");
  return field ? Number(field.dataset.question) : null;
}

function AskHeader({ ask, laneName }: { ask: Ask; laneName: string }) {
  const tool = ask.kind === "permission" ? ask.tool : null;
  const asks = ask.kind === "permission" ? "asks for permission" : "asks you a question";
  return (
    <header>
      <p className="flex flex-wrap items-baseline gap-x-1.5">
        <Link to="/lanes/$lane" params={{ lane: ask.lane }} className="font-semibold hover:underline">
          {laneName}
        </Link>
        <span>
          {ask.nativeSession !== null && "(a subagent) "}
          {tool === null ? asks : `wants to use ${exactText(tool)}`}
        </span>
        <span className="text-sm text-faint">
          waits <Elapsed since={ask.since} />
        </span>
      </p>
      <p className="flex flex-wrap gap-x-3 text-sm text-faint">
        <AskedFor ask={ask} />
        {ask.directory !== null && (
          <span className="min-w-0 truncate" title={ask.directory}>
            in <span className="font-mono text-xs">{exactText(ask.directory)}</span>
          </span>
        )}
      </p>
    </header>
  );
}

/** The message that the agent works on; a turn that Waybill did not start has none. */
function AskedFor({ ask: { lane, deliveryId, messageId } }: { ask: Ask }) {
  const { data } = useQuery({ ...deliveryQuery(deliveryId ?? ""), enabled: deliveryId !== null });
  if (deliveryId === null || messageId === null) return null;
  const words = data?.message ? beginningOf(proseText(data.message.text), 1, 80).text : messageId;
  return (
    <span className="flex min-w-0 gap-1.5">
      for
      <Link
        to="/lanes/$lane"
        params={{ lane }}
        search={{ message: messageId }}
        className="min-w-0 truncate text-muted underline hover:text-ink"
      >
        {words}
      </Link>
      <Link to="/deliveries/$id" params={{ id: deliveryId }} className="underline hover:text-ink">
        Delivery
      </Link>
    </span>
  );
}
