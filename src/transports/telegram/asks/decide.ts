/** Passes a decision made in a chat to the agent, and shows it in every chat that shows the ask. */
import { AppError } from "../../../platform/app-error.ts";
import { sleep } from "../../../platform/clock.ts";
import type { AskDecision } from "../../../service/service.ts";
import type { Handled, TelegramContext } from "../telegram-context.ts";
import { changedRows, overRows } from "./ask-rows.ts";
import { answerWords, decidedHere, expiredWords } from "./ask-text.ts";
import type { ChatAsk } from "./chat-asks.ts";
import { allAnswers, answered } from "./chat-asks.ts";

export type Decided =
  /** The agent has it, or it is kept until the other questions are answered. */
  | { outcome: "taken"; words: string; writes: Handled }
  /** It was answered elsewhere, or the agent no longer asks. */
  | { outcome: "over"; writes: Handled }
  /** Another decision is on its way to the agent. */
  | { outcome: "busy" }
  | { outcome: "failed"; words: string; writes: Handled };

/** After a restart, an agent's asks are unknown until its lane has been reconciled. */
const unknownRetries = 20;
const retryMs = 300;

export function decidePermission(
  ask: ChatAsk,
  decision: NonNullable<ChatAsk["decision"]>,
  context: TelegramContext,
): Promise<Decided> {
  const { reason } = decision;
  const given = { decision: decision.decision, ...(reason === null ? {} : { message: reason }) };
  return decide(ask, { ...ask, decision }, given, context);
}

/** The agent gets the answers once all of its questions have one. */
export async function answerQuestion(
  ask: ChatAsk,
  question: number,
  labels: readonly string[],
  by: string,
  context: TelegramContext,
): Promise<Decided> {
  const next = ask.answers[question] ? ask : answered(ask, question, labels, by);
  const answers = allAnswers(next);
  if (answers) return decide(ask, next, { decision: "once", answers }, context);
  const answer = next.answers[question];
  const words = `${answer ? answerWords(answer) : ""}\n_The other questions still need an answer._`;
  const outbox = changedRows(next, question, `ask-answered:${ask.event}:${question}`, words);
  return { outcome: "taken", words: "Answered.", writes: { outbox, state: context.asks.keep(next) } };
}

async function decide(before: ChatAsk, ask: ChatAsk, given: AskDecision, context: TelegramContext): Promise<Decided> {
  const { asks, box } = context;
  if (!asks.beginDeciding(ask.name)) return { outcome: "busy" };
  try {
    // Stored before the agent has it, so that a crash in between does not lose who decided.
    await box.write({ state: asks.keep(ask) });
    if (await isTaken(ask, given, context)) {
      const verdicts = decidedHere(ask);
      const writes = { outbox: overRows(ask, verdicts), state: asks.endAnswered(ask) };
      return { outcome: "taken", words: verdicts.at(-1) ?? "", writes };
    }
    // If the ask is gone, the log has already shown how it ended. Otherwise no event will follow.
    if (!asks.find(ask.name)) return { outcome: "over", writes: {} };
    const verdicts = ask.texts.map(() => expiredWords);
    return { outcome: "over", writes: { outbox: overRows(ask, verdicts), state: asks.end(ask) } };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const state = asks.find(ask.name) ? asks.keep(before) : [];
    return { outcome: "failed", words: error.message, writes: { state } };
  } finally {
    asks.endDeciding(ask.name);
  }
}

/** False when the agent no longer asks this. */
async function isTaken(ask: ChatAsk, given: AskDecision, { asks, service, clock }: TelegramContext): Promise<boolean> {
  for (let retries = 0; ; retries++) {
    try {
      await service.answer(ask.id, given);
      return true;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "ask_unknown") throw error;
      if (!asks.find(ask.name) || retries >= unknownRetries) return false;
      await sleep(clock, retryMs, never);
    }
  }
}

const never = new AbortController().signal;
