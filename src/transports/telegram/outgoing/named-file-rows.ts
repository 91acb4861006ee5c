/** Sends the files that an answer names, if the agent changed them in that turn. They follow the answer, once. */
import { basename, relative } from "node:path";
import type { LogItem } from "../../../core/log/log-item.ts";
import type { NewOutboxRow } from "../../../mail/outbox/transport-box.ts";
import { AppError } from "../../../platform/app-error.ts";
import type { TelegramContext } from "../telegram-context.ts";
import { row } from "./chat-row.ts";
import { originOf } from "./origin.ts";
import type { SendableFile } from "./workspace-files.ts";
import { changedFiles, presentFiles, sendableFile } from "./workspace-files.ts";

type DeliveryItem = Extract<LogItem, { type: "delivery" }>;

/** Larger files are sent only on `/files`. */
const maxBytes = 10_000_000;
const maxFiles = 5;

export async function namedFileRows(
  { event, record }: DeliveryItem,
  context: TelegramContext,
): Promise<NewOutboxRow[]> {
  const { service } = context;
  const isDone = record.status === "responded" && record.turnEndedAt !== null;
  if (record.source !== "telegram" || !isDone || !["proven", "turn_ended"].includes(event.type)) return [];
  const origin = await originOf(record.laneId, record.messageId, context);
  if (!origin) return [];
  const { replies } = await service.delivery(record.id);
  const { lane } = await service.lane(record.laneId);
  const since = record.attemptList[0]?.submittedAt ?? record.createdAt;
  const changed = presentFiles(await changedFiles(service, lane, since)).map(({ path }) => path);
  const named = namedIn(replies.map(({ text }) => text).join("\n"), changed, lane.directory).slice(0, maxFiles);
  if (named.length === 0) return [];
  const workspace = await service.workspace(lane.directory);
  const files = await Promise.all(named.map((path) => ifSendable(() => sendableFile(path, workspace))));
  return files.flatMap((file, index) => {
    if (file === null || file.size > maxBytes) return [];
    const { thread } = origin.topic;
    const { name, path } = file;
    const body = { kind: "file", thread, name, source: { path }, replyTo: origin.message } as const;
    return [row(origin.topic, `named:${record.id}:${index}`, body)];
  });
}

/** A file counts as named if its relative path, full path or base name appears as a separate word. */
export function namedIn(text: string, paths: readonly string[], directory: string): string[] {
  return paths.filter((path) => [path, relative(directory, path), basename(path)].some((name) => hasWord(text, name)));
}

function hasWord(text: string, name: string): boolean {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return name !== "" && new RegExp(`(?<![\\w.-])${escaped}(?![\\w-]|\\.\\w)`, "u").test(text);
}

async function ifSendable(find: () => Promise<SendableFile>): Promise<SendableFile | null> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
