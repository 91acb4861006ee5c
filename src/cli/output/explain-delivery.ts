/** Explains where a delivery is, why, and what happens next. Pure. */
import type { DeliveryDetail } from "../../client/index.ts";
import { statusStyle } from "./describe-delivery.ts";
import { ago, oneLine, shortId, until } from "./format.ts";
import { fieldLines } from "./table.ts";
import type { Paint } from "./terminal.ts";

export function explainDelivery(delivery: DeliveryDetail, paint: Paint, now: number): string[] {
  const { status, reason, next, messageId, lane, id, updatedAt, attempts, maxAttempts, acceptanceUnknown } = delivery;
  const what = next.step === "waits_for_person" || next.step === "looks" ? "Waybill checks again" : "This is due";
  const due = next.at === null ? "" : `${what} ${until(next.at, now)}.`;
  // Usually the explanation already says it.
  const isSaid = delivery.explanation.toLowerCase().includes(next.words.toLowerCase());
  const further = [isSaid ? "" : oneLine(next.words), due].filter((words) => words !== "").join(" ");
  return [
    `${paint("bold", `Message ${oneLine(messageId)}`)} to lane ${oneLine(lane)}: ${paint(statusStyle[status], status)}`,
    ...fieldLines(
      [
        ["state", `${oneLine(delivery.explanation)} (${ago(updatedAt, now)})`],
        ["reason", reason === undefined ? null : oneLine(reason)],
        ["attempts", attempts === 0 ? "none yet" : `${attempts} of ${maxAttempts}`],
        ["unsure", acceptanceUnknown ? "whether the last attempt arrived" : null],
        ["proof", delivery.evidence.proof],
        ["next", further === "" ? null : further],
        ["you can", advice(delivery)],
      ],
      paint,
    ).map((line) => `  ${line}`),
    `  ${paint("dim", `details: waybill show ${shortId(id)}`)}`,
  ];
}

/** The command that a person might run next. */
function advice({
  status,
  responseState,
  id,
  next,
  messageId,
  lane,
  queuedBehindMessageId: ahead,
}: DeliveryDetail): string | null {
  if (status === "failed_terminal") return `waybill retry ${shortId(id)}`;
  if (next.step === "waits_while_paused") return `waybill lanes resume ${oneLine(lane)}`;
  if (status === "pending") {
    const withdraw = `waybill withdraw ${oneLine(messageId)}`;
    // The message ahead may be waiting for a person.
    return ahead === undefined ? withdraw : `waybill why ${oneLine(ahead)}, ${withdraw}`;
  }
  if (["permission_blocked", "question_blocked"].includes(responseState)) return "waybill asks";
  return status === "responded" || status === "cancelled" ? null : `waybill cancel ${shortId(id)}`;
}
