/** Shows one preview of a running turn: as a draft, or as an edit of the "Working…" message. */
import { createHash } from "node:crypto";
import type { Api } from "grammy";
import { GrammyError } from "grammy";
import { abortedAfter } from "../../../platform/clock.ts";
import { grammySignal } from "../bot-api.ts";
import { classifyError } from "../classify-error.ts";
import type { ServerAbilities } from "../outgoing/call-bot-api.ts";
import { editMessage, inlineKeyboard } from "../outgoing/call-bot-api.ts";
import type { Origin } from "../outgoing/origin.ts";
import type { Style } from "../outgoing/parts.ts";
import { lastPart } from "../outgoing/parts.ts";
import { stopButtons } from "../outgoing/signs.ts";
import type { TurnView } from "./turn-view.ts";
import { previewWords, textOf } from "./turn-view.ts";

export function draftIdOf(delivery: string): number {
  const digest = createHash("sha256").update(delivery).digest();
  // Positive in 32 bits, and never zero.
  return (digest.readUInt32BE(0) >>> 1) | 1;
}

export type Shown = { outcome: "shown" } | { outcome: "no_drafts" } | { outcome: "dropped"; waitMs: number };

export type PreviewDeps = { api: Api; server: ServerAbilities };
type Turn = { delivery: string; origin: Origin; view: TurnView };

/** The chat's outbox rows wait while a preview is being sent. */
const limitMs = 4000;
/** After a failure without a wait time. */
const pauseMs = 5000;

export async function showDraft(turn: Turn, deps: PreviewDeps, signal: AbortSignal): Promise<Shown> {
  const { server } = deps;
  const limited = abortedAfter(limitMs, signal);
  if (server.hasRichMessages) {
    const shown = await attempt(() => sendDraft(turn, "rich", deps, limited));
    if (shown !== "unknown_method" && shown !== "refused") return shown;
    if (shown === "unknown_method") server.hasRichMessages = false;
  }
  const shown = await attempt(() => sendDraft(turn, "plain", deps, limited));
  if (shown === "unknown_method") {
    server.hasDrafts = false;
    return { outcome: "no_drafts" };
  }
  return shown === "refused" ? dropped(pauseMs) : shown;
}

export async function showEdit(turn: Turn, message: number, deps: PreviewDeps, signal: AbortSignal): Promise<Shown> {
  const { topic, messageId } = turn.origin;
  const limited = abortedAfter(limitMs, signal);
  const partIn = (style: Style) => lastPart(previewWords(turn.view), style);
  const keyboard = inlineKeyboard(stopButtons(messageId));
  const shown = await attempt(() => editMessage({ chat: topic.chat, message }, partIn, keyboard, deps, limited));
  return typeof shown === "string" ? dropped(pauseMs) : shown;
}

/** An empty draft shows that the agent is thinking. */
async function sendDraft(turn: Turn, style: Style, { api }: PreviewDeps, signal: AbortSignal) {
  const { chat, thread } = turn.origin.topic;
  const draft = draftIdOf(turn.delivery);
  const options = { can_stop: true, ...(thread === null ? {} : { message_thread_id: thread }) };
  const { markdown } = lastPart(textOf(turn.view), style) ?? { markdown: "" };
  if (style === "rich") await api.sendRichMessageDraft(chat, draft, { markdown }, options, grammySignal(signal));
  else await api.sendMessageDraft(chat, draft, markdown, options, grammySignal(signal));
}

async function attempt(call: () => Promise<void>): Promise<Shown | "unknown_method" | "refused"> {
  try {
    await call();
    return { outcome: "shown" };
  } catch (error) {
    // The connection failed or the call timed out. The next preview supersedes this one anyway.
    if (!(error instanceof GrammyError)) return dropped(pauseMs);
    const problem = classifyError(error);
    switch (problem.kind) {
      case "not_modified":
        return { outcome: "shown" };
      case "unknown_method":
        return "unknown_method";
      case "refused_content":
        return "refused";
      case "later":
        return dropped(problem.afterMs ?? pauseMs);
      default:
        return dropped(pauseMs);
    }
  }
}

function dropped(waitMs: number): Shown {
  return { outcome: "dropped", waitMs };
}
