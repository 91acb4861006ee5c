/** Shared by `retry`, `cancel` and `withdraw`, which change one delivery and print it. */
import type { Sent, WaybillClient } from "../client/index.ts";
import type { Command, CommandContext } from "./command.ts";
import { printResult } from "./command.ts";
import { withDaemon } from "./connect.ts";
import { findDelivery } from "./find-by-id.ts";
import { oneLine } from "./output/format.ts";

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
