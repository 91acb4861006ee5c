/** `waybill show`: shows everything known about a delivery or a message. */
import type { Command } from "../command.ts";
import { printResult } from "../command.ts";
import { withDaemon } from "../connect.ts";
import { findDeliveryOrMessage } from "../find-by-id.ts";
import { deliveryLines, messageLines } from "../output/delivery-details.ts";

export const show: Command = {
  name: "show",
  summary: "show everything known about a delivery or a message",
  help: {
    usage: "ID",
    description: `Shows a delivery with its message, attempts, evidence and history, or a message that has no delivery. ID is the id of a
delivery or a message, or a prefix of it; prefixes match only the newest thousand.`,
    json: "one line: the delivery, or the message",
    examples: `waybill show 3fa9c2
waybill show msg-51c0 --json`,
  },
  options: {},
  maxArguments: 1,
  run(input, context) {
    const id = input.argument(0, "the id of a delivery or a message is missing");
    return withDaemon(context, async (client) => {
      const found = await findDeliveryOrMessage(client, id);
      const format = [context.paint, Date.now()] as const;
      return "delivery" in found
        ? printResult(context, found.delivery, deliveryLines(found.delivery, ...format))
        : printResult(context, found.message, messageLines(found.message, ...format));
    });
  },
};
