/** `waybill asks` and `waybill answer`: what agents wait for a person to allow or to say. */
import type { AskAnswer } from "../../client/index.ts";
import type { Command } from "../command.ts";
import { refuseMore } from "../command.ts";
import { talk } from "../connect.ts";
import { exitCodes } from "../exit-codes.ts";
import { findAsk } from "../find.ts";
import { screenWidth } from "../output/screen.ts";
import { table } from "../output/table.ts";
import { ago, oneLine } from "../output/words.ts";
import { checkedChoice, usageError } from "../usage-error.ts";

const decisions = ["once", "always", "reject"] as const;

export const asks: Command = {
  name: "asks",
  summary: "list what agents wait for: permissions and questions",
  help: `Usage: waybill asks

Lists the permissions and questions that agents wait for. Answer them with \`waybill answer\`.

Options:
  --json    one line: {"asks":[{"id","kind","title","lane","since",…}]}

Exit codes: 0 done, 5 no daemon runs, 2 not understood, 1 any other error.

Examples:
  waybill asks
  waybill answer per_17 once`,
  options: {},
  run(input, context) {
    const { json, print, remark, paint } = context;
    refuseMore(input, 0, "asks");
    return talk(context, async (client) => {
      const { asks: open } = await client.asks();
      if (json) {
        print(JSON.stringify({ asks: open }));
        return exitCodes.ok;
      }
      const now = Date.now();
      const rows = open.map(({ id, kind, lane, since, title }) => [
        id,
        { text: kind, style: "yellow" as const },
        lane,
        ago(since, now),
        title,
      ]);
      if (rows.length === 0) remark("No agent waits for anything.");
      else {
        const head = ["ASK", "KIND", "LANE", "SINCE", "WHAT"];
        for (const line of table(head, rows, { width: screenWidth(), paint })) print(line);
      }
      return exitCodes.ok;
    });
  },
};

export const answer: Command = {
  name: "answer",
  summary: "allow or reject a permission, or answer a question",
  help: `Usage: waybill answer ASK once|always|reject
       waybill answer ASK --answer TEXT

Allows a permission once or always, rejects an ask, or answers a question. ASK is the id of an ask or its beginning.

Options:
  --answer TEXT    the answer; once for each question, in their order
  --json           one line: {"answered":"ID","decision":"…"}

Exit codes: 0 done, 5 no daemon runs, 2 not understood, 1 any other error.

Examples:
  waybill answer per_17 once
  waybill answer que_3 --answer "Use port 8080."`,
  options: { answer: { type: "string", multiple: true } },
  words: decisions,
  run(input, context) {
    const { json, print } = context;
    const [reference, word] = input.positionals;
    refuseMore(input, 2, "answer");
    if (!reference) throw usageError("answer what? The id of an ask (see `waybill asks`)", "answer");
    const answers = input.values("answer");
    const said = checkedChoice(word, decisions, { option: "the decision", command: "answer" });
    const decision = said ?? (answers.length > 0 ? "once" : undefined);
    if (decision === undefined) throw usageError("once, always or reject? Or --answer TEXT", "answer");
    const body: AskAnswer = answers.length === 0 ? { decision } : { decision, answers: answers.map((one) => [one]) };
    return talk(context, async (client) => {
      const ask = findAsk((await client.asks()).asks, reference);
      await client.answer(ask.id, body);
      if (json) print(JSON.stringify({ answered: ask.id, decision }));
      else print(`The agent in lane ${oneLine(ask.lane)} has it: ${decision}.`);
      return exitCodes.ok;
    });
  },
};
