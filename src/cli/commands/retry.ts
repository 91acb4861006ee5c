/** `waybill retry`: retries a delivery that failed for good. */
import type { Command } from "../command.ts";
import { deliveryJson, runOnDelivery } from "../delivery-command.ts";

export const retry: Command = {
  name: "retry",
  summary: "retry a delivery that failed for good",
  help: {
    usage: "ID",
    description: `Gives a delivery that failed for good a new budget of attempts. Its old attempts are checked first, so that a late
answer is found before the agent is asked again.

ID is the id of a delivery or a message, or a prefix of it.`,
    json: deliveryJson,
    examples: `waybill retry 3fa9c2
waybill deliveries --status failed_terminal`,
  },
  options: {},
  maxArguments: 1,
  run: runOnDelivery((client, id) => client.retry(id), "is being retried"),
};
