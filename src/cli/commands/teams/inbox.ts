/** `waybill inbox`: lists a person's messages, and marks them as read. */
import type { Command } from "../../command.ts";
import { flagOption, printResult, textOption } from "../../command.ts";
import { withDaemon } from "../../connect.ts";
import { usageError } from "../../errors.ts";
import { outcomeNote } from "../../output/describe-delivery.ts";
import { ago, pluralized } from "../../output/format.ts";
import { pageRequest, pagingOptions, printList } from "../../output/table.ts";

export const inbox: Command = {
  name: "inbox",
  summary: "list the messages to you, and mark them as read",
  help: {
    usage: "[--unread] [--person NAME] [--limit N]\nread [ID …] [--person NAME]",
    description: `Lists the messages that agents and Waybill sent to a person, newest first; \`*\` marks unread ones. \`inbox read\` marks
the given messages as read, or all of them.`,
    json: 'one line: {"messages":[…],"nextCursor":…}, or {"marked":N}',
    examples: `waybill inbox --unread
waybill inbox read
waybill inbox read agt-0123 --person anna`,
  },
  options: {
    unread: flagOption("only unread messages"),
    person: textOption("NAME", 'whose inbox (default: "user")'),
    ...pagingOptions,
  },
  subcommands: ["read"],
  maxArguments: Number.POSITIVE_INFINITY,
  run(input, context) {
    const [subcommand, ...ids] = input.positionals;
    const person = input.value("person");
    if (subcommand !== undefined && subcommand !== "read")
      throw usageError(`unknown subcommand: inbox ${subcommand}`, "inbox");
    if (subcommand === "read") {
      return withDaemon(context, async (client) => {
        const { marked } = await client.markRead({ person, ids: ids.length === 0 ? undefined : ids });
        const others = ids.length > marked ? " The others were read before, or are not in this inbox." : "";
        return printResult(context, { marked }, `Marked ${pluralized(marked, "message")} as read.${others}`);
      });
    }
    const request = pageRequest(input, "inbox");
    return withDaemon(context, async (client) => {
      const page = await client.inbox({ ...request, person, unread: input.flag("unread") });
      const now = Date.now();
      return printList(context, page, {
        head: ["", "WHEN", "FROM", "MESSAGE", "TEXT"],
        rows: page.messages.map(({ createdAt, from, id, text, outcome, readAt }) => [
          readAt === null ? { text: "*", style: "yellow" } : "",
          ago(createdAt, now),
          { text: from, style: "cyan" },
          id,
          text + outcomeNote({ outcome }),
        ]),
        emptyNote: input.flag("unread") ? "No unread messages." : "No messages yet.",
      });
    });
  },
};
