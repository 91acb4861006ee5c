/**
 * Sends one row of the outbox to its chat, a part at a time. The Bot API is asked for the best that it can do: a rich message
 * first, entities where the server is older, plain text where it refuses those.
 */
import { createReadStream } from "node:fs";
import type { Api } from "grammy";
import { InputFile } from "grammy";
import type { InlineKeyboardMarkup } from "grammy/types";
import type { Delivered } from "../../../mail/outbox/outbox.ts";
import type { OutboxRow, TransportBox } from "../../../mail/outbox/transport-box.ts";
import { grammySignal } from "../bot-api.ts";
import type { ChatRow, Keyboard } from "./chat-row.ts";
import { messageOf } from "./chat-row.ts";
import type { SendProblem } from "./classify-error.ts";
import { classifyError } from "./classify-error.ts";
import type { Part, Style } from "./render.ts";
import { partsOf } from "./render.ts";

export type DeliverDeps = {
  api: Api;
  box: Pick<TransportBox, "row">;
  /** What the server has shown that it can do. */
  server: ServerAbilities;
  onMigrated: (from: number, to: number) => Promise<void>;
  onUnauthorized: () => void;
};

/** Learned from its answers. */
export type ServerAbilities = { hasRichMessages: boolean; hasDrafts: boolean };

/** A chat that cannot be reached is tried again after this, or when it says something. */
const unreachableMs = 60 * 60 * 1000;
const unauthorizedMs = 60 * 1000;

type Target = { chat: number; thread: number | null; edit: number | null };

export async function deliverRow(row: OutboxRow, deps: DeliverDeps, signal: AbortSignal): Promise<Delivered> {
  const body = row.body as ChatRow;
  const chat = Number(row.channel);
  switch (body.kind) {
    case "text":
      return deliverText(
        row,
        body,
        { chat, thread: body.thread, edit: await replacedBy(row, body, deps) },
        deps,
        signal,
      );
    case "edit":
    case "delete": {
      const of = await deps.box.row(body.of);
      const message = of ? messageOf(of.refs) : null;
      if (message === null) return { outcome: "sent", ref: null };
      const call =
        body.kind === "edit"
          ? () => editText(chat, message, body, deps, signal)
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

/** Only the first part can take the place of another message. */
async function replacedBy(
  row: OutboxRow,
  { replaces }: Extract<ChatRow, { kind: "text" }>,
  { box }: DeliverDeps,
): Promise<number | null> {
  if (row.refs.length > 0) return null;
  for (const key of replaces ?? []) {
    const message = messageOf((await box.row(key))?.refs ?? []);
    if (message !== null) return message;
  }
  return null;
}

async function deliverText(
  row: OutboxRow,
  body: Extract<ChatRow, { kind: "text" }>,
  target: Target,
  deps: DeliverDeps,
  signal: AbortSignal,
): Promise<Delivered> {
  const style: Style = deps.server.hasRichMessages ? "rich" : "entities";
  return deliverStyled(row, body, target, style, deps, signal);
}

async function deliverStyled(
  row: OutboxRow,
  body: Extract<ChatRow, { kind: "text" }>,
  target: Target,
  style: Style,
  deps: DeliverDeps,
  signal: AbortSignal,
): Promise<Delivered> {
  const { parts, rest } = partsOf(body.markdown, style);
  const index = row.refs.length;
  const part = parts[index];
  if (!part) {
    // A text that is too long for a chat goes on as a file.
    if (rest === null) return { outcome: "sent", ref: null };
    const source = { text: rest };
    const file = { kind: "file" as const, thread: target.thread, name: "answer.md", source };
    return deliverFile(file, target.chat, target.thread, deps, signal);
  }
  const isLast = index === parts.length - 1 && rest === null;
  const options = optionsOf(body, { isFirst: index === 0, isLast });
  try {
    const message = await send(part, target, options, deps, signal);
    return { outcome: isLast ? "sent" : "part", ref: { message } };
  } catch (error) {
    const problem = classifyError(error);
    switch (problem.kind) {
      case "unknown_method":
        if (part.kind !== "rich") return later(problem);
        deps.server.hasRichMessages = false;
        return deliverStyled(row, body, target, "entities", deps, signal);
      case "refused_content":
        if (style === "rich") return deliverStyled(row, body, target, "entities", deps, signal);
        if (style === "entities") return deliverStyled(row, body, target, "plain", deps, signal);
        return { outcome: "failed", reason: problem.reason };
      case "thread_gone":
        if (target.thread === null) return { outcome: "failed", reason: "thread_gone" };
        return deliverStyled(row, body, { ...target, thread: null }, style, deps, signal);
      case "message_gone":
        if (target.edit !== null) return deliverStyled(row, body, { ...target, edit: null }, style, deps, signal);
        return { outcome: "failed", reason: "message_gone" };
      case "not_modified":
        return { outcome: isLast ? "sent" : "part", ref: { message: target.edit } };
      default:
        return settle(problem, target.chat, deps);
    }
  }
}

type SendOptions = {
  reply_parameters?: { message_id: number; allow_sending_without_reply: true };
  reply_markup?: InlineKeyboardMarkup | { force_reply: true; selective: true };
};

async function send(
  part: Part,
  { chat, thread, edit }: Target,
  options: SendOptions,
  { api }: DeliverDeps,
  signal: AbortSignal,
): Promise<number> {
  if (edit !== null) {
    const markup = options.reply_markup && "inline_keyboard" in options.reply_markup ? options.reply_markup : null;
    await changeMessage(api, chat, edit, part, markup, signal);
    return edit;
  }
  const place = thread === null ? {} : { message_thread_id: thread };
  const sent =
    part.kind === "rich"
      ? await api.sendRichMessage(chat, { markdown: part.markdown }, { ...place, ...options }, grammySignal(signal))
      : await api.sendMessage(chat, part.text, { ...place, ...options, ...formatOf(part) }, grammySignal(signal));
  return sent.message_id;
}

async function editText(
  chat: number,
  message: number,
  { markdown, buttons }: Extract<ChatRow, { kind: "edit" }>,
  { api, server }: DeliverDeps,
  signal: AbortSignal,
): Promise<void> {
  const keyboard = buttons ? inlineKeyboard(buttons) : null;
  const [part] = partsOf(markdown, server.hasRichMessages ? "rich" : "entities").parts;
  if (part) await changeMessage(api, chat, message, part, keyboard, signal);
}

export async function changeMessage(
  api: Api,
  chat: number,
  message: number,
  part: Part,
  keyboard: InlineKeyboardMarkup | null,
  signal: AbortSignal,
): Promise<void> {
  const markup = keyboard ? { reply_markup: keyboard } : {};
  if (part.kind === "rich") {
    await api.raw.editMessageText(
      { chat_id: chat, message_id: message, rich_message: { markdown: part.markdown }, ...markup },
      grammySignal(signal),
    );
  } else await api.editMessageText(chat, message, part.text, { ...formatOf(part), ...markup }, grammySignal(signal));
}

function formatOf({ entities }: Extract<Part, { kind: "text" }>) {
  return { entities: [...entities], link_preview_options: { is_disabled: true } };
}

function optionsOf(
  { replyTo, buttons, forceReply }: Extract<ChatRow, { kind: "text" }>,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): SendOptions {
  const reply = isFirst && replyTo !== undefined;
  return {
    ...(reply ? { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } } : {}),
    ...(isLast && buttons ? { reply_markup: inlineKeyboard(buttons) } : {}),
    ...(isLast && forceReply ? { reply_markup: { force_reply: true, selective: true } } : {}),
  };
}

export function inlineKeyboard(buttons: Keyboard): InlineKeyboardMarkup {
  return { inline_keyboard: buttons.map((line) => line.map(({ text, data }) => ({ text, callback_data: data }))) };
}

async function deliverFile(
  body: Extract<ChatRow, { kind: "file" }>,
  chat: number,
  thread: number | null,
  deps: DeliverDeps,
  signal: AbortSignal,
): Promise<Delivered> {
  const { name, source, caption, replyTo } = body;
  const file = () =>
    "text" in source
      ? new InputFile(Buffer.from(source.text), name)
      : new InputFile(createReadStream(source.path), name);
  const options = {
    ...(thread === null ? {} : { message_thread_id: thread }),
    ...(caption === undefined ? {} : { caption }),
    ...(replyTo === undefined
      ? {}
      : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true as const } }),
  };
  try {
    const sent = await deps.api.sendDocument(chat, file(), options, grammySignal(signal));
    return { outcome: "sent", ref: { message: sent.message_id } };
  } catch (error) {
    const problem = classifyError(error);
    if (problem.kind === "thread_gone" && thread !== null) return deliverFile(body, chat, null, deps, signal);
    return settle(problem, chat, deps);
  }
}

/** For calls whose failure harms nothing that anybody waits for. */
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
    const isMoot = ["not_modified", "message_gone", "refused_content", "thread_gone", "unknown_method"];
    if (isMoot.includes(problem.kind)) return { outcome: "sent", ref };
    return settle(problem, chat, deps);
  }
}

async function settle(problem: SendProblem, chat: number, deps: DeliverDeps): Promise<Delivered> {
  switch (problem.kind) {
    case "later":
      return { outcome: "later", afterMs: problem.afterMs, reason: problem.reason };
    case "migrated":
      await deps.onMigrated(chat, problem.to);
      return { outcome: "later", afterMs: 0, reason: "chat_migrated" };
    case "unreachable":
      return { outcome: "later", afterMs: unreachableMs, reason: problem.reason };
    case "unauthorized":
      deps.onUnauthorized();
      return { outcome: "later", afterMs: unauthorizedMs, reason: "token_refused" };
    case "refused_content":
      return { outcome: "failed", reason: problem.reason };
    default:
      return later(problem);
  }
}

function later({ kind }: SendProblem): Delivered {
  return { outcome: "later", afterMs: null, reason: kind };
}
