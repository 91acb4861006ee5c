/** `waybill why`: explains where a message is, why, and what happens next. */
import type { DeliveryDetail, WaybillClient } from "../../client/index.ts";
import type { Command, CommandContext } from "../command.ts";
import { printResult } from "../command.ts";
import { withDaemon } from "../connect.ts";
import { findDeliveries, findDeliveryOrMessage, notFound } from "../find-by-id.ts";
import { messageLines } from "../output/delivery-details.ts";
import { statusStyle } from "../output/describe-delivery.ts";
import { ago, oneLine, shortId, until } from "../output/format.ts";
import { fieldLines } from "../output/table.ts";
import type { Paint } from "../output/terminal.ts";

export const why: Command = {
  name: "why",
  summary: "explain where a message is, why, and what happens next",
  help: {
    usage: "ID",
    description: `Explains in plain words where a message is, why, what happens next and when. ID is the id of a message or a delivery,
or a prefix of it. A message to several lanes is explained lane by lane.`,
    json: 'one line: {"deliveries":[{"messageId","lane","status","reason","explanation","next",…}]}',
    examples: `waybill why msg-51c0
waybill why 3fa9c2 --json`,
  },
  options: {},
  maxArguments: 1,
  run(input, context) {
    const id = input.argument(0, "the id of a message or a delivery is missing");
    return withDaemon(context, async (client) => {
      const found = await findDeliveries(client, id);
      if (found.length === 0) return explainMessage(client, id, context);
      const details = await Promise.all(found.map((delivery) => client.delivery(delivery.id)));
      const paragraphs = details.map((detail) => explainDelivery(detail, context.paint, Date.now()).join("\n"));
      return printResult(context, { deliveries: details.map(summary) }, paragraphs.join("\n\n"));
    });
  },
};

/** A message without a delivery: its recipient reads it in a mailbox. */
async function explainMessage(client: WaybillClient, id: string, context: CommandContext): Promise<number> {
  const found = await findDeliveryOrMessage(client, id);
  if (!("message" in found)) throw notFound(id);
  return printResult(context, found.message, messageLines(found.message, context.paint, Date.now()));
}

function summary(detail: DeliveryDetail) {
  const { id, messageId, lane, status, responseState, attempts, maxAttempts, reason = null, next, updatedAt } = detail;
  const { explanation } = detail;
  const state = { status, responseState, attempts, maxAttempts, reason, explanation, updatedAt };
  return { deliveryId: id, messageId, lane, ...state, next };
}

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
