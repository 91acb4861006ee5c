/** `waybill asks` and `waybill answer`: what agents are waiting for, and the answer to it. */

import type { AskAnswer } from "../../client/index.ts";
import { nearest } from "../../platform/nearest.ts";
import type { Command } from "../command.ts";
import { printResult } from "../command.ts";
import { withDaemon } from "../connect.ts";
import { usageError } from "../errors.ts";
import { findAsk } from "../find-by-id.ts";
import { ago, oneLine } from "../output/format.ts";
import { printList } from "../output/table.ts";

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

const decisions = ["once", "always", "reject"] as const;

export const answer: Command = {
  name: "answer",
  summary: "allow or reject a permission request, or answer a question",
  help: {
    usage: "ASK once|always|reject\nASK reject --reason TEXT\nASK --answer TEXT",
    description:
      "Allows a permission once or always, rejects an ask, or answers a question. ASK is the id of an ask, or a prefix of it.",
    json: 'one line: {"answered":"ID","decision":"…"}',
    examples: `waybill answer per_17 once
waybill answer per_17 reject --reason "Use npm."
waybill answer que_3 --answer "Use port 8080."`,
  },
  options: {
    answer: {
      type: "string",
      multiple: true,
      value: "TEXT",
      help: "the answer; repeat it for each question, in order",
    },
    reason: { type: "string", value: "TEXT", help: "why you reject it; the agent reads this and carries on" },
  },
  maxArguments: 2,
  argumentChoices: decisions,
  run(input, context) {
    const id = input.argument(0, "the id of an ask is missing (see `waybill asks`)");
    const answers = input.values("answer").map((text) => [text]);
    const choice = parseDecision(input.positionals[1]);
    const decision = choice ?? (answers.length > 0 ? "once" : undefined);
    if (decision === undefined)
      throw usageError("the decision is missing: once, always, reject, or --answer TEXT", "answer");
    const reason = input.value("reason");
    if (reason !== undefined && decision !== "reject") throw usageError("--reason works only with reject", "answer");
    const body: AskAnswer = {
      decision,
      ...(answers.length === 0 ? {} : { answers }),
      ...(reason === undefined ? {} : { message: reason }),
    };
    return withDaemon(context, async (client) => {
      const ask = findAsk((await client.asks()).asks, id);
      if (ask.kind === "permission" && answers.length > 0)
        throw usageError("this ask is a permission: use once, always or reject, not --answer", "answer");
      if (ask.kind === "question" && decision !== "reject" && answers.length === 0)
        throw usageError("this ask is a question: use --answer TEXT, or reject", "answer");
      await client.answer(ask.id, body);
      const words = decision !== "reject" && answers.length > 0 ? oneLine(answers.flat().join(", ")) : decision;
      const done = `The agent in lane ${oneLine(ask.lane)} got your answer: ${words}.`;
      return printResult(context, { answered: ask.id, decision }, done);
    });
  },
};

function parseDecision(word: string | undefined): (typeof decisions)[number] | undefined {
  const decision = decisions.find((one) => one === word);
  if (decision !== undefined || word === undefined) return decision;
  const message = `the decision must be once, always or reject, not ${word}; --answer TEXT answers a question`;
  throw usageError(message, "answer", nearest(word, decisions));
}
