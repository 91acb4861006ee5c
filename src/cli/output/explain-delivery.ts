/** Where a delivery is, why, and what happens next, in plain words. Pure. */
import type { DeliveryDetail, Status } from "../../client/index.ts";
import { statusStyle } from "./describe-delivery.ts";
import { ago, oneLine, shortId, until } from "./format.ts";
import { fieldLines } from "./table.ts";
import type { Paint } from "./terminal.ts";

const meanings: Record<Status, string> = {
  pending: "It was accepted and has not been sent yet.",
  submitting: "It is being sent; whether it arrived is not known yet.",
  accepted: "The agent's program took it, which proves nothing yet.",
  unanswered: "The agent's turn ended without an answer.",
  retry_scheduled: "The agent did not answer, and will be asked again.",
  failed_retryable: "The last attempt failed.",
  failed_terminal: "It failed for good. It stays unread.",
  responded: "The agent acted on it, and there is proof.",
  cancelled: "It was ended before there was an answer.",
};

export function explainDelivery(delivery: DeliveryDetail, paint: Paint, now: number): string[] {
  const { status, reason, next, messageId, lane, id, updatedAt, attempts, maxAttempts, acceptanceUnknown } = delivery;
  const due = next.at === null ? "" : ` This is due ${until(next.at, now)}.`;
  return [
    `${paint("bold", `Message ${oneLine(messageId)}`)} to lane ${oneLine(lane)}: ${paint(statusStyle[status], status)}`,
    ...fieldLines(
      [
        ["state", `${meanings[status]} (${ago(updatedAt, now)})`],
        ["reason", reason === undefined ? null : oneLine(reason)],
        ["attempts", attempts === 0 ? "none yet" : `${attempts} of ${maxAttempts}`],
        ["unsure", acceptanceUnknown ? "whether the last attempt arrived" : null],
        ["proof", delivery.evidence.proof],
        ["next", `${oneLine(next.words)}${due}`],
        ["you can", advice(delivery)],
      ],
      paint,
    ).map((line) => `  ${line}`),
    `  ${paint("dim", `all of it: waybill show ${shortId(id)}`)}`,
  ];
}

/** The command that a person may run next. */
function advice({ status, responseState, id, next, messageId, lane }: DeliveryDetail): string | null {
  if (status === "failed_terminal") return `waybill retry ${shortId(id)}`;
  if (next.step === "waits_while_paused") return `waybill lanes resume ${oneLine(lane)}`;
  if (status === "pending") return `waybill withdraw ${oneLine(messageId)}`;
  if (["permission_blocked", "question_blocked"].includes(responseState)) return "waybill asks";
  return status === "responded" || status === "cancelled" ? null : `waybill cancel ${shortId(id)}`;
}
