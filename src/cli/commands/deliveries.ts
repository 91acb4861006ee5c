/** `waybill deliveries`: what became of messages. */
import type { Delivery, Status } from "../../client/index.ts";
import { hasOutcome } from "../../client/index.ts";
import { statuses } from "../../core/delivery/record.ts";
import type { Command, CommandInput } from "../command.ts";
import { refuseMore } from "../command.ts";
import { talk } from "../connect.ts";
import { exitCodes } from "../exit-codes.ts";
import { statusStyle } from "../output/outcome-lines.ts";
import { screenWidth } from "../output/screen.ts";
import { table } from "../output/table.ts";
import { ago, shortId, until } from "../output/words.ts";
import { limitOf, moreHint } from "../paging.ts";
import { checkedChoice, usageError } from "../usage-error.ts";

const help = `Usage: waybill deliveries [--lane ID] [--status STATUS]… [--open] [--limit N]

Lists deliveries, newest first. \`waybill why ID\` says why one is where it is.

Options:
  --lane ID        only those of this lane
  --status STATUS  only these, also several separated by commas: pending, submitting, accepted, unanswered,
                   retry_scheduled, failed_retryable, failed_terminal, responded, cancelled
  --open           only those that have no outcome yet
  --limit N        how many at most, 1 to 200 (default 20)
  --cursor C       the next page: \`nextCursor\` of the one before
  --json           one line: {"deliveries":[…],"nextCursor":…}

Exit codes: 0 done, 5 no daemon runs, 2 not understood, 1 any other error.

Examples:
  waybill deliveries --open
  waybill deliveries --lane chat --status failed_terminal --json`;

export const deliveries: Command = {
  name: "deliveries",
  summary: "list what became of messages",
  help,
  options: {
    lane: { type: "string", choices: "lanes" },
    status: { type: "string", multiple: true, choices: statuses },
    open: { type: "boolean" },
    limit: { type: "string" },
    cursor: { type: "string" },
  },
  run(input, context) {
    const { json, print, remark, paint } = context;
    refuseMore(input, 0, "deliveries");
    const status = wantedStatuses(input);
    const paging = { limit: limitOf(input, "deliveries"), cursor: input.value("cursor") };
    return talk(context, async (client) => {
      const page = await client.deliveries({ ...paging, lane: input.value("lane"), status });
      if (json) {
        print(JSON.stringify(page));
        return exitCodes.ok;
      }
      if (page.deliveries.length === 0) remark("There are none.");
      else for (const line of deliveryTable(page.deliveries, Date.now())) print(line);
      moreHint(page, remark);
      return exitCodes.ok;
    });

    function deliveryTable(list: readonly Delivery[], now: number): string[] {
      const head = ["WHEN", "LANE", "STATUS", "ATTEMPTS", "NEXT LOOK", "DELIVERY", "MESSAGE", "REASON"];
      const rows = list.map((delivery) => [
        ago(delivery.createdAt, now),
        delivery.lane,
        { text: delivery.status, style: statusStyle[delivery.status] },
        `${delivery.attempts} of ${delivery.maxAttempts}`,
        delivery.nextLookAt === null ? "" : until(delivery.nextLookAt, now),
        shortId(delivery.id),
        delivery.messageId,
        delivery.reason ?? "",
      ]);
      return table(head, rows, { width: screenWidth(), paint });
    }
  },
};

function wantedStatuses(input: CommandInput): Status[] | undefined {
  const named = input
    .values("status")
    .flatMap((list) => list.split(","))
    .map((value) => checkedChoice(value, statuses, { option: "--status", command: "deliveries" }))
    .filter((status) => status !== undefined);
  if (!input.flag("open")) return named.length > 0 ? named : undefined;
  if (named.length > 0) throw usageError("either --open or --status", "deliveries");
  return statuses.filter((status) => !hasOutcome({ status }));
}
