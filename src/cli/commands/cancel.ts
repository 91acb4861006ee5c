/** `waybill cancel`: ends a delivery. */
import type { Command } from "../command.ts";
import { deliveryJson, runOnDelivery } from "../delivery-command.ts";

export const cancel: Command = {
  name: "cancel",
  summary: "end a delivery, and stop its turn",
  help: {
    usage: "ID",
    description: `Ends a delivery for good. If the agent is working on it, its turn is stopped.

ID is the id of a delivery or a message, or a prefix of it.`,
    json: deliveryJson,
    examples: `waybill cancel 3fa9c2
waybill cancel msg-51c0 --json`,
  },
  options: {},
  maxArguments: 1,
  run: runOnDelivery((client, id) => client.cancel(id), "is cancelled"),
};
