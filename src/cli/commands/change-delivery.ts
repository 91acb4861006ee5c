/** `waybill retry`, `cancel` and `withdraw`: change one delivery, and print it. */
import type { Sent, WaybillClient } from "../../client/index.ts";
import type { Command, CommandContext } from "../command.ts";
import { printResult, textOption } from "../command.ts";
import { withDaemon } from "../connect.ts";
import { findDelivery } from "../find-by-id.ts";
import { oneLine } from "../output/format.ts";

export const deliveryJson = "one line: the changed delivery";

/** Calls `act` with the id of the delivery that the argument names. */
export function runOnDelivery(act: (client: WaybillClient, id: string) => Promise<Sent>, done: string): Command["run"] {
  return (input, context) => {
    const reference = input.argument(0, missingId);
    return withDaemon(context, async (client) => {
      const { id } = await findDelivery(client, reference);
      return printDelivery(context, await act(client, id), done);
    });
  };
}

export const missingId = "the id is missing";

export function printDelivery(context: CommandContext, delivery: Sent, done: string): number {
  return printResult(context, delivery, `Message ${oneLine(delivery.messageId)} ${done} (${delivery.status}).`);
}

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
