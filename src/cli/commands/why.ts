/** `waybill why`: explains where a message is, why, and what happens next. */
import type { DeliveryDetail, WaybillClient } from "../../client/index.ts";
import type { Command, CommandContext } from "../command.ts";
import { printResult } from "../command.ts";
import { withDaemon } from "../connect.ts";
import { findDeliveries, findDeliveryOrMessage, notFound } from "../find-by-id.ts";
import { messageLines } from "../output/delivery-details.ts";
import { explainDelivery } from "../output/explain-delivery.ts";

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
