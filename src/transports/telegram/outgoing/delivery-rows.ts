/** What the chat shows of a delivery: its phase, and that it was started, tried again, stopped, or done without a reply. */
import type { Status } from "../../../core/delivery/record.ts";
import { openStatuses } from "../../../core/delivery/record.ts";
import type { LogItem } from "../../../core/log/log-item.ts";
import type { NewOutboxRow } from "../../../mail/outbox/transport-box.ts";
import { AppError } from "../../../platform/app-error.ts";
import type { Service } from "../../../service/service.ts";
import type { TelegramContext } from "../telegram-context.ts";
import type { Phase } from "./chat-row.ts";
import { row, say } from "./chat-row.ts";
import type { Origin } from "./origin.ts";
import { originOf } from "./origin.ts";
import { signKeys, startedKey, stopButtons, waitingKey } from "./signs.ts";

export function phaseOf(status: Status): Phase {
  if (status === "pending") return "waiting";
  return openStatuses.includes(status) ? "running" : "ended";
}

export async function phaseNow(delivery: string, service: Pick<Service, "delivery">): Promise<Phase> {
  try {
    return phaseOf((await service.delivery(delivery)).record.status);
  } catch (error) {
    // It ended long ago.
    if (error instanceof AppError && error.code === "delivery_unknown") return "ended";
    throw error;
  }
}

type DeliveryItem = Extract<LogItem, { type: "delivery" }>;

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
      return record.status === "responded" && record.turnEndedAt !== null ? doneSilently(item, origin, context) : [];
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
    const buttons = stopButtons(messageId);
    const markdown = `▶️ Asked again (attempt ${attempt})…`;
    return [row(topic, `started:${id}:${attempt}`, { kind: "edit", of: startedKey(id), markdown, buttons })];
  }
  return [waitsNoMore, startedSign(id, origin)];
}

export function startedSign(delivery: string, { topic, message, messageId }: Origin): NewOutboxRow {
  return say(topic, startedKey(delivery), "▶️ Working…", {
    replyTo: message,
    buttons: stopButtons(messageId),
    onlyWhile: { delivery, phase: "running" },
  });
}

function ended({ record: { id, version } }: DeliveryItem, { topic, message }: Origin, words: string): NewOutboxRow[] {
  return [
    say(topic, `ended:${id}:${version}`, words, { replyTo: message, replaces: [...signKeys(id), waitingKey(id)] }),
  ];
}

/** The agent did what it was asked, but wrote no answer. */
async function doneSilently(
  { record }: DeliveryItem,
  origin: Origin,
  context: TelegramContext,
): Promise<NewOutboxRow[]> {
  const { replies } = await context.service.delivery(record.id);
  if (replies.length > 0) return [];
  const options = { replyTo: origin.message, replaces: signKeys(record.id) };
  return [say(origin.topic, `done:${record.id}`, "✅ Done. The agent wrote no reply.", options)];
}
