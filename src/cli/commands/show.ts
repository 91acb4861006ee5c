/** `waybill show`: all that is known of a delivery or a message. */
import type { Command } from "../command.ts";
import { refuseMore } from "../command.ts";
import { talk } from "../connect.ts";
import { exitCodes } from "../exit-codes.ts";
import { findAny } from "../find.ts";
import { deliveryLines, messageLines } from "../output/detail-lines.ts";
import { usageError } from "../usage-error.ts";

const help = `Usage: waybill show ID

Shows a delivery with its message, attempts, evidence and history, or a message that has no delivery. ID is the id of a
delivery or a message, or the beginning of one; beginnings are looked for among the newest thousand.

Options:
  --json    one line: the delivery, or the message

Exit codes: 0 done, 5 no daemon runs, 2 not understood, 1 any other error (not found, or more than one).

Examples:
  waybill show 3fa9c2
  waybill show msg-51c0 --json`;

export const show: Command = {
  name: "show",
  summary: "show all that is known of a delivery or a message",
  help,
  options: {},
  run(input, context) {
    const { json, print, paint } = context;
    const [reference] = input.positionals;
    refuseMore(input, 1, "show");
    if (!reference) throw usageError("show what? The id of a delivery or a message", "show");
    return talk(context, async (client) => {
      const found = await findAny(client, reference);
      if (json) {
        print(JSON.stringify("delivery" in found ? found.delivery : found.message));
        return exitCodes.ok;
      }
      const now = Date.now();
      const lines =
        "delivery" in found ? deliveryLines(found.delivery, paint, now) : messageLines(found.message, paint, now);
      for (const line of lines) print(line);
      return exitCodes.ok;
    });
  },
};
