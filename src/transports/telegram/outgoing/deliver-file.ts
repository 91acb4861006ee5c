/** Sends a file from disk, or a text as a file. */
import { open } from "node:fs/promises";
import type { Api } from "grammy";
import { InputFile } from "grammy";
import type { Delivered } from "../../../mail/outbox/outbox.ts";
import { grammySignal } from "../bot-api.ts";
import { classifyError } from "../classify-error.ts";
import type { ChatRow } from "./chat-row.ts";
import type { SettleDeps } from "./settle-problem.ts";
import { settle } from "./settle-problem.ts";

type FileRow = Extract<ChatRow, { kind: "file" }>;

export async function deliverFile(
  body: FileRow,
  chat: number,
  thread: number | null,
  deps: SettleDeps & { api: Api },
  signal: AbortSignal,
): Promise<Delivered> {
  const { name, caption, replyTo } = body;
  const options = {
    ...(thread === null ? {} : { message_thread_id: thread }),
    ...(caption === undefined ? {} : { caption }),
    ...(replyTo === undefined
      ? {}
      : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true as const } }),
  };
  const content = await contentOf(body);
  // A retry would not find it either, and would block the chat forever.
  if (content === null) return { outcome: "failed", reason: "file_gone" };
  try {
    const sent = await deps.api.sendDocument(chat, new InputFile(content, name), options, grammySignal(signal));
    return { outcome: "sent", ref: { message: sent.message_id, style: "plain" } };
  } catch (error) {
    const problem = classifyError(error);
    if (problem.kind === "thread_gone" && thread !== null) return deliverFile(body, chat, null, deps, signal);
    return settle(problem, chat, deps);
  }
}

async function contentOf({ source }: FileRow) {
  if ("text" in source) return Buffer.from(source.text);
  try {
    return (await open(source.path)).createReadStream();
  } catch {
    return null;
  }
}
