/** `waybill messages`: lists and searches messages. */
import { recipientName } from "../../client/index.ts";
import type { Command } from "../command.ts";
import { textOption } from "../command.ts";
import { withDaemon } from "../connect.ts";
import { outcomeNote } from "../output/describe-delivery.ts";
import { ago } from "../output/format.ts";
import { pageRequest, pagingOptions, printList } from "../output/table.ts";

export const messages: Command = {
  name: "messages",
  summary: "list or search messages",
  help: {
    usage: "[--lane ID] [--search WORDS] [--limit N]",
    description: "Lists messages to agents and their replies, newest first. `waybill show ID` shows one in full.",
    json: 'one line: {"messages":[…],"nextCursor":…}',
    examples: `waybill messages --lane chat
waybill messages --search "port 8080"`,
  },
  options: {
    lane: textOption("ID", "only this lane's conversation", "lanes"),
    search: textOption("WORDS", "only messages that contain all these words"),
    ...pagingOptions,
  },
  run(input, context) {
    const request = pageRequest(input, "messages");
    return withDaemon(context, async (client) => {
      const page = await client.messages({ ...request, lane: input.value("lane"), q: input.value("search") });
      const now = Date.now();
      return printList(context, page, {
        head: ["WHEN", "LANE", "WHO", "MESSAGE", "TEXT"],
        rows: page.messages.map(({ createdAt, lane, from, to, id, text, outcome }) => [
          ago(createdAt, now),
          lane ?? "",
          { text: `${from} → ${recipientName(to)}`, style: "cyan" },
          id,
          text + outcomeNote({ outcome }),
        ]),
        emptyNote: "No messages found.",
      });
    });
  },
};
