/** Handles presses of an ask's buttons. */
import type { Press, Pressed, TelegramContext } from "../telegram-context.ts";
import { overWords } from "../telegram-context.ts";
import { askButtons, readAskPress } from "./ask-buttons.ts";
import { awaitReply } from "./ask-replies.ts";
import { changedRows } from "./ask-rows.ts";
import type { ChatAsk } from "./chat-asks.ts";
import { allAnswers, marked, markedLabels } from "./chat-asks.ts";
import type { Decided } from "./decide.ts";
import { answerQuestion, decidePermission } from "./decide.ts";

export async function pressAsk(press: Press, context: TelegramContext): Promise<Pressed> {
  const read = readAskPress(press.data);
  const ask = read && context.asks.find(read.name);
  if (!read || !ask?.places.some(({ chat }) => chat === press.place.chat)) return { words: overWords };
  const by = press.from.name;
  const chosen = read.press;
  switch (chosen.kind) {
    case "decide":
      return pressed(await decidePermission(ask, { decision: chosen.decision, by, reason: null }, context));
    case "reason":
      return { words: "Write the reason.", writes: awaitReply(ask, null, press, context) };
    case "other":
      return isOpen(ask, chosen.question)
        ? { words: "Write your answer.", writes: awaitReply(ask, chosen.question, press, context) }
        : { words: overWords };
    case "choose": {
      const label = ask.questions[chosen.question]?.options[chosen.option]?.label;
      return label === undefined ? { words: overWords } : answer(ask, chosen.question, [label], press, context);
    }
    case "mark":
      return mark(ask, chosen, press, context);
    case "send": {
      const labels = markedLabels(ask, chosen.question);
      if (labels.length === 0) return { words: "Select at least one option first." };
      return answer(ask, chosen.question, labels, press, context);
    }
    default:
      return chosen satisfies never;
  }
}

/** If every question has an answer, a crash came before the agent got them, so the ask is still open. */
function isOpen(ask: ChatAsk, question: number): boolean {
  return ask.answers[question] === null || allAnswers(ask) !== null;
}

async function answer(
  ask: ChatAsk,
  question: number,
  labels: readonly string[],
  press: Press,
  context: TelegramContext,
): Promise<Pressed> {
  if (!isOpen(ask, question)) return { words: "This question was already answered." };
  return pressed(await answerQuestion(ask, question, labels, press.from.name, context));
}

function mark(
  ask: ChatAsk,
  { question, option, on }: { question: number; option: number; on: boolean },
  { update }: Press,
  { asks }: TelegramContext,
): Pressed {
  if (!isOpen(ask, question)) return { words: "This question was already answered." };
  const next = marked(ask, question, option, on);
  const outbox = changedRows(next, question, `ask-marked:${update.id}`, null, askButtons(next, question));
  return { words: "", writes: { outbox, state: asks.keep(next) } };
}

function pressed(decided: Decided): Pressed {
  switch (decided.outcome) {
    case "taken":
      return { words: decided.words, writes: decided.writes };
    case "over":
      return { words: overWords, writes: decided.writes };
    case "busy":
      return { words: "Someone is deciding this right now." };
    case "failed":
      return { words: `${decided.words} Try again.`, isAlert: true, writes: decided.writes };
    default:
      return decided satisfies never;
  }
}
