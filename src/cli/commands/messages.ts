/** `waybill messages`: what was said. */
import type { Command } from "../command.ts";
import { refuseMore } from "../command.ts";
import { talk } from "../connect.ts";
import { exitCodes } from "../exit-codes.ts";
import { screenWidth } from "../output/screen.ts";
import { table } from "../output/table.ts";
import { ago } from "../output/words.ts";
import { limitOf, moreHint } from "../paging.ts";

const help = `Usage: waybill messages [--lane ID] [--search WORDS] [--limit N]

Lists what was said, newest first: messages to agents and what they wrote back. \`waybill show ID\` shows one in full.

Options:
  --lane ID        only the conversation of this lane
  --search WORDS   only those in which all of these words were said
  --limit N        how many at most, 1 to 200 (default 20)
  --cursor C       the next page: \`nextCursor\` of the one before
  --json           one line: {"messages":[…],"nextCursor":…}

Exit codes: 0 done, 5 no daemon runs, 2 not understood, 1 any other error.

Examples:
  waybill messages --lane chat
  waybill messages --search "port 8080"`;

export const messages: Command = {
  name: "messages",
  summary: "list or search what was said",
  help,
  options: {
    lane: { type: "string", choices: "lanes" },
    search: { type: "string" },
    limit: { type: "string" },
    cursor: { type: "string" },
  },
  run(input, context) {
    const { json, print, remark, paint } = context;
    refuseMore(input, 0, "messages");
    const paging = { limit: limitOf(input, "messages"), cursor: input.value("cursor") };
    return talk(context, async (client) => {
      const page = await client.messages({ ...paging, lane: input.value("lane"), q: input.value("search") });
      if (json) {
        print(JSON.stringify(page));
        return exitCodes.ok;
      }
      const now = Date.now();
      const rows = page.messages.map(({ createdAt, lane, from, to, id, text }) => [
        ago(createdAt, now),
        lane ?? "",
        { text: `${from} → ${"lane" in to ? to.lane : to.person}`, style: "cyan" as const },
        id,
        text,
      ]);
      if (rows.length === 0) remark("Nothing was found.");
      else {
        const head = ["WHEN", "LANE", "WHO", "MESSAGE", "TEXT"];
        for (const line of table(head, rows, { width: screenWidth(), paint })) print(line);
      }
      moreHint(page, remark);
      return exitCodes.ok;
    });
  },
};
