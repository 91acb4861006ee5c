/** How a delivery ended, and what was said in answer. Pure. */
import type { DeliveryDetail } from "../../client/index.ts";
import type { Paint } from "./terminal.ts";
import { printable } from "./terminal.ts";
import { count, oneLine } from "./words.ts";

export const statusStyle = {
  responded: "green",
  failed_terminal: "red",
  failed_retryable: "yellow",
  unanswered: "yellow",
  retry_scheduled: "yellow",
  cancelled: "dim",
  pending: "cyan",
  submitting: "cyan",
  accepted: "cyan",
} as const;

export function outcomeLines(
  { status, attempts, repairs, reason, replies, id }: DeliveryDetail,
  paint: Paint,
): { progress: string; result: readonly string[] } {
  const because = reason === undefined || status === "responded" ? "" : ` (${oneLine(reason)})`;
  const words = `${paint(statusStyle[status], status)} after ${count(attempts + repairs, "attempt")}${because}`;
  // Waybill's own notices say again what the status says.
  const answers = replies.filter(({ from, id: reply }) => from !== "waybill" || reply === `answer-${id}`);
  return { progress: words, result: answers.map(({ text }) => printable(text)) };
}
