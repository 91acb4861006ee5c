/** `waybill withdraw`: takes back a message that has not been sent yet. */
import type { Command } from "../command.ts";
import { textOption } from "../command.ts";
import { withDaemon } from "../connect.ts";
import { deliveryJson, missingId, printDelivery } from "../delivery-command.ts";

export const withdraw: Command = {
  name: "withdraw",
  summary: "take back a message that has not been sent yet",
  help: {
    usage: "MESSAGE [--lane ID]",
    description: `Takes back a message before it is sent. Once sent, it can only be cancelled. MESSAGE is the full id.`,
    json: deliveryJson,
    examples: `waybill withdraw msg-51c0a2
waybill withdraw status-report --lane chat`,
  },
  options: {
    lane: textOption("ID", "the lane, if several lanes have a message with that id", "lanes"),
  },
  maxArguments: 1,
  run(input, context) {
    const id = input.argument(0, missingId);
    return withDaemon(context, async (client) =>
      printDelivery(context, await client.withdraw(id, input.value("lane")), "is withdrawn"),
    );
  },
};
