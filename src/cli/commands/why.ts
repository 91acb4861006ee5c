/** `waybill why`: where a message is, why, and what happens next. */
import { AppError } from "../../app-error.ts";
import type { DeliveryDetail } from "../../client/index.ts";
import type { Command } from "../command.ts";
import { refuseMore } from "../command.ts";
import { talk } from "../connect.ts";
import { exitCodes } from "../exit-codes.ts";
import { findDeliveries } from "../find.ts";
import { whyLines } from "../output/why-lines.ts";
import { usageError } from "../usage-error.ts";

const help = `Usage: waybill why ID

Says in plain words where a message is, why, what happens next and when. ID is the id of a message or a delivery, or the
beginning of one. A message to several lanes is told about lane by lane.

Options:
  --json    one line: {"deliveries":[{"messageId","lane","status","reason","next":{"step","at","words"},…}]}

Exit codes: 0 done, 5 no daemon runs, 2 not understood, 1 any other error.

Examples:
  waybill why msg-51c0
  waybill why 3fa9c2 --json`;

export const why: Command = {
  name: "why",
  summary: "say where a message is, why, and what happens next",
  help,
  options: {},
  run(input, context) {
    const { json, print, paint } = context;
    const [reference] = input.positionals;
    refuseMore(input, 1, "why");
    if (!reference) throw usageError("why what? The id of a message or a delivery", "why");
    return talk(context, async (client) => {
      const found = await findDeliveries(client, reference);
      if (found.length === 0) throw noDelivery(reference);
      const details = await Promise.all(found.map(({ id }) => client.delivery(id)));
      if (json) print(JSON.stringify({ deliveries: details.map(told) }));
      else {
        const paragraphs = details.map((detail) => whyLines(detail, paint, Date.now()).join("\n"));
        print(paragraphs.join("\n\n"));
      }
      return exitCodes.ok;
    });
  },
};

function told(detail: DeliveryDetail) {
  const { id, messageId, lane, status, responseState, attempts, maxAttempts, reason = null, next, updatedAt } = detail;
  return { deliveryId: id, messageId, lane, status, responseState, attempts, maxAttempts, reason, updatedAt, next };
}

function noDelivery(reference: string): AppError {
  return new AppError({
    code: "not_found",
    message: `No delivery or message begins with "${reference}".`,
    hint: "`waybill deliveries` lists the newest ones with their ids.",
  });
}
