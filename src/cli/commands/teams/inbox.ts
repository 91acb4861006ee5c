/** `waybill inbox`: what was written to a person, and what of it was read. */
import type { Command } from "../../command.ts";
import { flagOption, printResult, textOption } from "../../command.ts";
import { withDaemon } from "../../connect.ts";
import { usageError } from "../../errors.ts";
import { pageRequest, pagingOptions, printList } from "../../lists.ts";
import { ago } from "../../output/format.ts";
import { outcomeNote } from "../../output/message-notes.ts";

export const inbox: Command = {
  name: "inbox",
  summary: "show what was written to you, and mark it as read",
  help: {
    usage: "[--unread] [--person NAME] [--limit N]\nread [ID …] [--person NAME]",
    description: `Lists what agents and Waybill wrote to a person, newest first; \`*\` marks what is unread. \`inbox read\` marks
messages as read: those that are named, or all.`,
    json: 'one line: {"messages":[…],"nextCursor":…}, or {"marked":N}',
    examples: `waybill inbox --unread
waybill inbox read
waybill inbox read agt-0123 --person anna`,
  },
  options: {
    unread: flagOption("only what was not read"),
    person: textOption("NAME", 'whose inbox (default: "user")'),
    ...pagingOptions,
  },
  subcommands: ["read"],
  maxArguments: Number.POSITIVE_INFINITY,
  run(input, context) {
    const [subcommand, ...ids] = input.positionals;
    const person = input.value("person");
    if (subcommand !== undefined && subcommand !== "read") throw usageError(`unknown: inbox ${subcommand}`, "inbox");
    if (subcommand === "read") {
      return withDaemon(context, async (client) => {
        const { marked } = await client.markRead({ person, ids: ids.length === 0 ? undefined : ids });
        return printResult(context, { marked }, `${marked} ${marked === 1 ? "message is" : "messages are"} read now.`);
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
        emptyNote: input.flag("unread") ? "Nothing is unread." : "Nobody has written yet.",
      });
    });
  },
};
