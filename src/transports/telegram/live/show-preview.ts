/** Shows one preview of a running turn: as a draft, or as an edit of the "Working…" message. */
import { createHash } from "node:crypto";
import type { Api } from "grammy";
import { GrammyError } from "grammy";
import { abortedAfter } from "../../../platform/clock.ts";
import { classifyError, grammySignal } from "../bot-api.ts";
import type { ServerAbilities } from "../outgoing/call-bot-api.ts";
import { editPart, richOrPlain } from "../outgoing/call-bot-api.ts";
import type { Origin } from "../outgoing/origin.ts";
import type { Style } from "../outgoing/parts.ts";
import { lastPart } from "../outgoing/parts.ts";
import { deliveryButtons } from "../outgoing/signs.ts";
import type { TurnView } from "./turn-view.ts";
import { previewWords, textOf } from "./turn-view.ts";

/** Stays the same after a restart. */
export function draftIdOf(delivery: string): number {
  const digest = createHash("sha256").update(delivery).digest();
  // Positive in 32 bits, and never zero.
  return (digest.readUInt32BE(0) >>> 1) | 1;
}

export type Shown = { outcome: "shown" } | { outcome: "no_drafts" } | { outcome: "dropped"; waitMs: number };

type Turn = { delivery: string; origin: Origin; view: TurnView };
type Deps = { api: Api; server: ServerAbilities; signal: AbortSignal };

/** The chat's outbox rows wait while a preview is being sent. */
const limitMs = 4000;
/** After a failure without a wait time. */
const pauseMs = 5000;

/** An empty draft shows that the agent is thinking. */
export async function showDraft({ delivery, origin, view }: Turn, deps: Deps): Promise<Shown> {
  const { api, server } = deps;
  const { chat, thread } = origin.topic;
  const draft = draftIdOf(delivery);
  const options = { can_stop: true, ...(thread === null ? {} : { message_thread_id: thread }) };
  const signal = grammySignal(abortedAfter(limitMs, deps.signal));
  const shown = await show(server, async (style) => {
    const { markdown } = lastPart(textOf(view), style) ?? { markdown: "" };
    if (style === "rich") await api.sendRichMessageDraft(chat, draft, { markdown }, options, signal);
    else await api.sendMessageDraft(chat, draft, markdown, options, signal);
  });
  if (shown.outcome === "no_drafts") server.hasDrafts = false;
  return shown;
}

export async function showEdit({ origin, view }: Turn, message: number, { api, server, signal }: Deps): Promise<Shown> {
  const calls = { api, signal: abortedAfter(limitMs, signal) };
  return show(server, async (style) => {
    const part = lastPart(previewWords(view), style);
    const keyboard = deliveryButtons(origin.messageId, "stop");
    if (part) await editPart(part, { chat: origin.topic.chat, message }, keyboard, calls);
  });
}

async function show(server: ServerAbilities, call: (style: Style) => Promise<void>): Promise<Shown> {
  try {
    await richOrPlain(server, call);
    return { outcome: "shown" };
  } catch (error) {
    // The connection failed or the call timed out. The next preview supersedes this one anyway.
    if (!(error instanceof GrammyError)) return { outcome: "dropped", waitMs: pauseMs };
    const problem = classifyError(error);
    if (problem.kind === "not_modified") return { outcome: "shown" };
    if (problem.kind === "unknown_method") return { outcome: "no_drafts" };
    return { outcome: "dropped", waitMs: (problem.kind === "later" ? problem.afterMs : null) ?? pauseMs };
  }
}
