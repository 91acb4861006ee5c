/** `waybill deliveries`: lists deliveries. */
import type { Status } from "../../client/index.ts";
import { hasOutcome } from "../../client/index.ts";
import { statuses } from "../../core/delivery/record.ts";
import type { Command, CommandInput } from "../command.ts";
import { flagOption, textOption } from "../command.ts";
import { withDaemon } from "../connect.ts";
import { parseChoice, usageError } from "../errors.ts";
import { statusStyle } from "../output/describe-delivery.ts";
import { ago, oneLine, shortId, until } from "../output/format.ts";
import { pageRequest, pagingOptions, printList } from "../output/table.ts";

export const deliveries: Command = {
  name: "deliveries",
  summary: "list deliveries and their status",
  help: {
    usage: "[--lane ID] [--status STATUS]… [--open] [--limit N]",
    description: "Lists deliveries, newest first. `waybill why ID` explains one.",
    json: 'one line: {"deliveries":[…],"nextCursor":…}',
    examples: `waybill deliveries --open
waybill deliveries --lane chat --status failed_terminal --json`,
  },
  options: {
    lane: textOption("ID", "only deliveries to this lane", "lanes"),
    status: {
      type: "string",
      multiple: true,
      choices: statuses,
      value: "STATUS",
      help: `only these statuses, separated by commas:\n${statuses.join(", ").replace(", retry_scheduled", ",\nretry_scheduled")}`,
    },
    open: flagOption("only deliveries without an outcome yet"),
    ...pagingOptions,
  },
  run(input, context) {
    const status = selectedStatuses(input);
    const request = pageRequest(input, "deliveries");
    return withDaemon(context, async (client) => {
      const page = await client.deliveries({ ...request, lane: input.value("lane"), status });
      const now = Date.now();
      return printList(context, page, {
        head: ["WHEN", "LANE", "STATUS", "ATTEMPTS", "NEXT CHECK", "DELIVERY", "MESSAGE", "REASON", "TEXT"],
        rows: page.deliveries.map((delivery) => [
          ago(delivery.createdAt, now),
          delivery.lane,
          { text: delivery.status, style: statusStyle[delivery.status] },
          `${delivery.attempts} of ${delivery.maxAttempts}`,
          delivery.nextReconcileAt === null ? "" : until(delivery.nextReconcileAt, now),
          shortId(delivery.id),
          delivery.messageId,
          delivery.reason ?? "",
          oneLine(delivery.excerpt ?? ""),
        ]),
        emptyNote: "No deliveries found.",
      });
    });
  },
};

function selectedStatuses(input: CommandInput): Status[] | undefined {
  const selected = input
    .values("status")
    .flatMap((list) => list.split(","))
    .map((value) => parseChoice(value, statuses, "--status", "deliveries"))
    .filter((status) => status !== undefined);
  if (!input.flag("open")) return selected.length > 0 ? selected : undefined;
  if (selected.length > 0) throw usageError("use either --open or --status, not both", "deliveries");
  return statuses.filter((status) => !hasOutcome({ status }));
}
