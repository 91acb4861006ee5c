/** `waybill retry`, `cancel` and `withdraw`: what a person does to a delivery. */
import type { Sent, WaybillClient } from "../../client/index.ts";
import type { Command, CommandContext, CommandInput } from "../command.ts";
import { refuseMore } from "../command.ts";
import { talk } from "../connect.ts";
import { exitCodes } from "../exit-codes.ts";
import { findDelivery } from "../find.ts";
import { oneLine } from "../output/words.ts";
import { usageError } from "../usage-error.ts";

const ids = `ID is the id of a delivery or a message, or the beginning of one.`;
const ending = `Options:
  --json    one line: the delivery as it is then

Exit codes: 0 done, 5 no daemon runs, 2 not understood, 1 any other error.`;

export const retry: Command = {
  name: "retry",
  summary: "try a delivery that failed for good once more",
  help: `Usage: waybill retry ID

Gives a delivery that failed for good a new budget of attempts. Its old attempts are looked at first, so that an answer
that came late is found before the agent is asked again.

${ids}

${ending}

Examples:
  waybill retry 3fa9c2
  waybill deliveries --status failed_terminal`,
  options: {},
  run: (input, context) => onDelivery("retry", input, context, (client, id) => client.retry(id), "is tried again"),
};

export const cancel: Command = {
  name: "cancel",
  summary: "end a delivery, and stop its turn",
  help: `Usage: waybill cancel ID

Ends a delivery for good. If the agent is working on it, its turn is stopped.

${ids}

${ending}

Examples:
  waybill cancel 3fa9c2
  waybill cancel msg-51c0 --json`,
  options: {},
  run: (input, context) => onDelivery("cancel", input, context, (client, id) => client.cancel(id), "is cancelled"),
};

export const withdraw: Command = {
  name: "withdraw",
  summary: "take a message back that was not sent yet",
  help: `Usage: waybill withdraw MESSAGE [--lane ID]

Takes a message back before it is sent. What was sent already can only be cancelled. MESSAGE is the whole id.

Options:
  --lane ID  the lane, when several have a message of that id
  --json     one line: the delivery as it is then

Exit codes: 0 done, 5 no daemon runs, 2 not understood, 1 any other error.

Examples:
  waybill withdraw msg-51c0a2
  waybill withdraw status-report --lane chat`,
  options: { lane: { type: "string", choices: "lanes" } },
  run(input, context) {
    const id = reference("withdraw", input);
    return talk(context, async (client) =>
      told(await client.withdraw(id, input.value("lane")), "is withdrawn", context),
    );
  },
};

function onDelivery(
  command: string,
  input: CommandInput,
  context: CommandContext,
  act: (client: WaybillClient, id: string) => Promise<Sent>,
  words: string,
): Promise<number> {
  const named = reference(command, input);
  return talk(context, async (client) => {
    const { id } = await findDelivery(client, named);
    return told(await act(client, id), words, context);
  });
}

function reference(command: string, input: CommandInput): string {
  const [id] = input.positionals;
  refuseMore(input, 1, command);
  if (!id) throw usageError(`${command} what? The id is missing`, command);
  return id;
}

function told(delivery: Sent, words: string, { json, print }: CommandContext): number {
  if (json) print(JSON.stringify(delivery));
  else print(`Message ${oneLine(delivery.messageId)} ${words} (${delivery.status}).`);
  return exitCodes.ok;
}
