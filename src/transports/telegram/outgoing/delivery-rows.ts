/** What the chat shows of a delivery: that it was started, tried again, stopped, or done, and the files that its answer names. */
import { basename, relative } from "node:path";
import type { DeliveryRecord, Status } from "../../../core/delivery/record.ts";
import { openStatuses } from "../../../core/delivery/record.ts";
import type { LogItem } from "../../../core/log/log-item.ts";
import type { NewOutboxRow } from "../../../mail/outbox/transport-box.ts";
import { nullIfRefused } from "../../../platform/app-error.ts";
import type { Service } from "../../../service/service.ts";
import type { TelegramContext } from "../telegram-context.ts";
import type { Phase } from "./chat-row.ts";
import { row, say } from "./chat-row.ts";
import type { Origin } from "./origin.ts";
import { originOf } from "./origin.ts";
import { deliveryButtons, signKeys, startedKey, waitingKey } from "./signs.ts";
import { changedFiles, presentFiles, sendableFile } from "./workspace-files.ts";

type DeliveryItem = Extract<LogItem, { type: "delivery" }>;

/** Larger files are sent only on `/files`. */
const maxBytes = 10_000_000;
const maxFiles = 5;

/** The phase of a delivery, as the chat shows it. */
export function phaseOf(status: Status): Phase {
  if (status === "pending") return "waiting";
  return openStatuses.includes(status) ? "running" : "ended";
}

export async function phaseNow(delivery: string, service: Pick<Service, "delivery">): Promise<Phase> {
  const known = await nullIfRefused(service.delivery(delivery), "delivery_unknown");
  // An unknown one ended long ago.
  return known ? phaseOf(known.record.status) : "ended";
}

export async function deliveryRows(item: DeliveryItem, context: TelegramContext): Promise<NewOutboxRow[]> {
  const { event, record } = item;
  if (record.source !== "telegram") return [];
  const isShown = ["submit", "cancelled", "withdrawn", "proven", "turn_ended"].includes(event.type);
  const origin = isShown ? await originOf(record.laneId, record.messageId, context) : null;
  if (!origin) return [];
  switch (event.type) {
    case "submit":
      return started(item, event.attempt.number, origin);
    case "cancelled":
      return ended(item, origin, "⏹ Stopped.");
    case "withdrawn":
      return ended(item, origin, event.reason === "expired" ? "Expired before it could be sent." : "Withdrawn.");
    case "proven":
    case "turn_ended":
      return record.status === "responded" && record.turnEndedAt !== null ? done(item, origin, context) : [];
    default:
      return [];
  }
}

function started({ record: { id, messageId } }: DeliveryItem, attempt: number, origin: Origin): NewOutboxRow[] {
  const { topic } = origin;
  // Deleted rather than edited: otherwise the answer would appear above the answers to earlier messages.
  const waitsNoMore = row(topic, `unqueued:${id}`, { kind: "delete", of: waitingKey(id) });
  // In a private chat the draft shows that work has started.
  if (topic.isPrivate) return [waitsNoMore];
  if (attempt > 1) {
    const buttons = deliveryButtons(messageId, "stop");
    const markdown = `▶️ Asked again (attempt ${attempt})…`;
    return [row(topic, `started:${id}:${attempt}`, { kind: "edit", of: startedKey(id), markdown, buttons })];
  }
  return [waitsNoMore, startedSign(id, origin)];
}

export function startedSign(delivery: string, { topic, message, messageId }: Origin): NewOutboxRow {
  return say(topic, startedKey(delivery), "▶️ Working…", {
    replyTo: message,
    buttons: deliveryButtons(messageId, "stop"),
    onlyWhile: { delivery, phase: "running" },
  });
}

function ended({ record: { id, version } }: DeliveryItem, { topic, message }: Origin, words: string): NewOutboxRow[] {
  return [
    say(topic, `ended:${id}:${version}`, words, { replyTo: message, replaces: [...signKeys(id), waitingKey(id)] }),
  ];
}

/** The answer is in the mail. If there is none, the chat says so. */
async function done({ record }: DeliveryItem, origin: Origin, context: TelegramContext): Promise<NewOutboxRow[]> {
  const { replies } = await context.service.delivery(record.id);
  if (replies.length > 0) return namedFiles(record, replies.map(({ text }) => text).join("\n"), origin, context);
  const options = { replyTo: origin.message, replaces: signKeys(record.id) };
  return [say(origin.topic, `done:${record.id}`, "✅ Done. The agent wrote no reply.", options)];
}

/** The files that an answer names, if the agent changed them in that turn. They follow the answer, once. */
async function namedFiles(
  { id, laneId, attemptList, createdAt }: DeliveryRecord,
  answer: string,
  { topic, message }: Origin,
  { service }: TelegramContext,
): Promise<NewOutboxRow[]> {
  const { lane } = await service.lane(laneId);
  const changed = await changedFiles(service, lane, attemptList[0]?.submittedAt ?? createdAt);
  const paths = presentFiles(changed).map(({ path }) => path);
  const named = namedIn(answer, paths, lane.directory).slice(0, maxFiles);
  if (named.length === 0) return [];
  const workspace = await service.workspace(lane.directory);
  const files = await Promise.all(named.map((path) => nullIfRefused(sendableFile(path, workspace))));
  return files.flatMap((file, index) => {
    if (file === null || file.size > maxBytes) return [];
    const { name, path } = file;
    const body = { kind: "file", thread: topic.thread, name, source: { path }, replyTo: message } as const;
    return [row(topic, `named:${id}:${index}`, body)];
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
