/** `waybill asks`: lists the permissions and questions that agents are waiting for. */
import type { Command } from "../command.ts";
import { withDaemon } from "../connect.ts";
import { printList } from "../lists.ts";
import { ago } from "../output/format.ts";

export const asks: Command = {
  name: "asks",
  summary: "list the permissions and questions that agents are waiting for",
  help: {
    usage: "",
    description: "Lists the permissions and questions that agents are waiting for. Answer them with `waybill answer`.",
    json: 'one line: {"asks":[{"id","kind","title","lane","since",…}]}',
    examples: `waybill asks
waybill answer per_17 once`,
  },
  options: {},
  run(_input, context) {
    return withDaemon(context, async (client) => {
      const list = await client.asks();
      const now = Date.now();
      return printList(context, list, {
        head: ["ASK", "KIND", "LANE", "SINCE", "TITLE"],
        rows: list.asks.map(({ id, kind, lane, since, title }) => [
          id,
          { text: kind, style: "yellow" },
          lane,
          ago(since, now),
          title,
        ]),
        emptyNote: "No agent is waiting for anything.",
      });
    });
  },
};
