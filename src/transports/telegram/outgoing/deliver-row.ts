/**
 * Sends one outbox row to its chat, a part at a time. It tries a rich message first, then plain text if the server
 * refuses that or is older, and a file if it refuses any text.
 */
import type { Api } from "grammy";
import type { Delivered } from "../../../mail/outbox/outbox.ts";
import type { OutboxRow, TransportBox } from "../../../mail/outbox/transport-box.ts";
import { grammySignal } from "../bot-api.ts";
import { classifyError, tooManyRequests } from "../classify-error.ts";
import type { SendOptions, ServerAbilities } from "./call-bot-api.ts";
import { editMessage, inlineKeyboard, sendPart } from "./call-bot-api.ts";
import type { ChatRow, Phase } from "./chat-row.ts";
import { countParts, messageOf } from "./chat-row.ts";
import { deliverFile } from "./deliver-file.ts";
import type { Style } from "./parts.ts";
import { nextPart } from "./parts.ts";
import type { SettleDeps } from "./settle-problem.ts";
import { settle } from "./settle-problem.ts";

export type DeliverDeps = SettleDeps & {
  api: Api;
  box: Pick<TransportBox, "row">;
  server: ServerAbilities;
  phaseNow: (delivery: string) => Promise<Phase>;
};

type TextRow = Extract<ChatRow, { kind: "text" }>;
/** How to send the next part. Each refusal removes one of these. */
type Target = { chat: number; thread: number | null; edit: number | null; replyTo: number | null; style: Style };

/** A pause that the server asked for is kept. Any other retry may happen as soon as the chat is active. */
export function mayRetryNow({ reason }: Pick<OutboxRow, "reason">): boolean {
  return reason !== tooManyRequests;
}

export async function deliverRow(row: OutboxRow, deps: DeliverDeps, signal: AbortSignal): Promise<Delivered> {
  const body = row.body as ChatRow;
  const chat = Number(row.channel);
  switch (body.kind) {
    case "text": {
      if (await isOutdated(body, deps)) return { outcome: "sent", ref: null };
      const edit = await replacedBy(row, body, deps);
      const style = deps.server.hasRichMessages ? "rich" : "plain";
      return deliverText(
        row,
        body,
        { chat, thread: body.thread, edit, replyTo: body.replyTo ?? null, style },
        deps,
        signal,
      );
    }
    case "edit":
    case "delete": {
      const of = await deps.box.row(body.of);
      const message = of ? messageOf(of.refs) : null;
      if (message === null) return { outcome: "sent", ref: null };
      const call =
        body.kind === "edit"
          ? () => editText({ chat, message }, body, deps, signal)
          : () => deps.api.deleteMessage(chat, message, grammySignal(signal));
      return attempt(call, { chat, ref: { message } }, deps);
    }
    case "react": {
      const reaction = body.emoji === null ? [] : [{ type: "emoji" as const, emoji: body.emoji as "👀" }];
      const react = () => deps.api.setMessageReaction(chat, body.message, reaction, {}, grammySignal(signal));
      return attempt(react, { chat, ref: null }, deps);
    }
    case "file":
      return deliverFile(body, chat, body.thread, deps, signal);
    default:
      return body satisfies never;
  }
}

async function isOutdated({ onlyWhile }: Extract<ChatRow, { kind: "text" }>, { phaseNow }: DeliverDeps) {
  return onlyWhile !== undefined && (await phaseNow(onlyWhile.delivery)) !== onlyWhile.phase;
}

/** Only the first part can replace another message. */
async function replacedBy(row: OutboxRow, { replaces }: TextRow, { box }: DeliverDeps): Promise<number | null> {
  if (row.refs.length > 0) return null;
  for (const key of replaces ?? []) {
    const message = messageOf((await box.row(key))?.refs ?? []);
    if (message !== null) return message;
  }
  return null;
}

async function deliverText(
  row: OutboxRow,
  body: TextRow,
  target: Target,
  deps: DeliverDeps,
  signal: AbortSignal,
): Promise<Delivered> {
  const next = nextPart(body.markdown, countParts(row.refs), target.style);
  if (next.kind === "done") return { outcome: "sent", ref: null };
  if (next.kind === "file") return sendAsFile(next.text, target, deps, signal);
  const { part, isLast } = next;
  const { style } = part;
  const options = optionsOf(body, target.replyTo, { isFirst: row.refs.length === 0, isLast });
  const taken = (message: number | null): Delivered => ({ outcome: isLast ? "sent" : "part", ref: { message, style } });
  try {
    return taken(await sendPart(part, target, options, deps.api, signal));
  } catch (error) {
    const problem = classifyError(error);
    if (problem.kind === "not_modified") return taken(target.edit);
    if (problem.kind === "unknown_method" && style === "rich") deps.server.hasRichMessages = false;
    const other = otherTarget(problem.kind, target);
    if (other) return deliverText(row, body, other, deps, signal);
    // A file instead of giving up, because a person waits for this.
    if (problem.kind === "refused_content") return sendAsFile(body.markdown, target, deps, signal);
    return settle(problem, target.chat, deps);
  }
}

/** The next simpler form to try; null if there is none. */
function otherTarget(problem: ReturnType<typeof classifyError>["kind"], target: Target): Target | null {
  const { style, thread, edit, replyTo } = target;
  switch (problem) {
    case "unknown_method":
      return style === "rich" ? { ...target, style: "plain" } : null;
    case "refused_content":
      if (style === "rich") return { ...target, style: "plain" };
      return edit === null ? null : { ...target, edit: null };
    case "thread_gone":
      return thread === null ? null : { ...target, thread: null };
    case "message_gone":
      return edit === null ? null : { ...target, edit: null };
    case "reply_gone":
      return replyTo === null ? null : { ...target, replyTo: null };
    default:
      return null;
  }
}

function sendAsFile(
  text: string,
  { chat, thread }: Target,
  deps: DeliverDeps,
  signal: AbortSignal,
): Promise<Delivered> {
  const file = { kind: "file" as const, thread, name: "answer.md", source: { text } };
  return deliverFile(file, chat, thread, deps, signal);
}

/** A text that is too long shows its beginning. */
function editText(
  of: { chat: number; message: number },
  { markdown, buttons }: Extract<ChatRow, { kind: "edit" }>,
  deps: DeliverDeps,
  signal: AbortSignal,
): Promise<void> {
  const partIn = (style: Style) => {
    const first = nextPart(markdown, countParts([]), style);
    return first.kind === "part" ? first.part : null;
  };
  return editMessage(of, partIn, buttons ? inlineKeyboard(buttons) : null, deps, signal);
}

function optionsOf(
  { buttons, forceReply }: TextRow,
  replyTo: number | null,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): SendOptions {
  const reply = isFirst && replyTo !== null;
  return {
    ...(reply ? { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } } : {}),
    ...(isLast && buttons ? { reply_markup: inlineKeyboard(buttons) } : {}),
    ...(isLast && forceReply ? { reply_markup: { force_reply: true, selective: true } } : {}),
  };
}

/** For calls that may fail without anyone missing the result. */
async function attempt(
  call: () => Promise<unknown>,
  { chat, ref }: { chat: number; ref: unknown },
  deps: DeliverDeps,
): Promise<Delivered> {
  try {
    await call();
    return { outcome: "sent", ref };
  } catch (error) {
    const problem = classifyError(error);
    const isMoot = ["not_modified", "message_gone", "reply_gone", "refused_content", "thread_gone", "unknown_method"];
    if (isMoot.includes(problem.kind)) return { outcome: "sent", ref };
    return settle(problem, chat, deps);
  }
}
