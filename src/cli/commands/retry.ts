/** `waybill retry`: tries a delivery that failed for good once more. */
import type { Command } from "../command.ts";
import { deliveryJson, runOnDelivery } from "../delivery-command.ts";

export const retry: Command = {
  name: "retry",
  summary: "try a delivery that failed for good once more",
  help: {
    usage: "ID",
    description: `Gives a delivery that failed for good a new budget of attempts. Its old attempts are checked first, so that an answer
that came late is found before the agent is asked again.

ID is the id of a delivery or a message, or the beginning of one.`,
    json: deliveryJson,
    examples: `waybill retry 3fa9c2
waybill deliveries --status failed_terminal`,
  },
  options: {},
  maxArguments: 1,
  run: runOnDelivery((client, id) => client.retry(id), "is tried again"),
};
