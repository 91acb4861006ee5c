/** `waybill answer`: allows or rejects a permission, or answers a question. */
import type { AskAnswer } from "../../client/index.ts";
import type { Command } from "../command.ts";
import { printResult } from "../command.ts";
import { withDaemon } from "../connect.ts";
import { parseChoice, usageError } from "../errors.ts";
import { findAsk } from "../find-by-id.ts";
import { oneLine } from "../output/format.ts";

const decisions = ["once", "always", "reject"] as const;

export const answer: Command = {
  name: "answer",
  summary: "allow or reject a permission, or answer a question",
  help: {
    usage: "ASK once|always|reject\nASK reject --reason TEXT\nASK --answer TEXT",
    description:
      "Allows a permission once or always, rejects an ask, or answers a question. ASK is the id of an ask or its beginning.",
    json: 'one line: {"answered":"ID","decision":"…"}',
    examples: `waybill answer per_17 once
waybill answer per_17 reject --reason "Use npm."
waybill answer que_3 --answer "Use port 8080."`,
  },
  options: {
    answer: { type: "string", multiple: true, value: "TEXT", help: "the answer; once for each question, in order" },
    reason: { type: "string", value: "TEXT", help: "why a permission is rejected; the agent reads it and goes on" },
  },
  maxArguments: 2,
  argumentChoices: decisions,
  run(input, context) {
    const id = input.argument(0, "answer what? The id of an ask (see `waybill asks`)");
    const answers = input.values("answer").map((text) => [text]);
    const choice = parseChoice(input.positionals[1], decisions, "the decision", "answer");
    const decision = choice ?? (answers.length > 0 ? "once" : undefined);
    if (decision === undefined) throw usageError("once, always or reject? Or --answer TEXT", "answer");
    const reason = input.value("reason");
    if (reason !== undefined && decision !== "reject") throw usageError("--reason is for reject only", "answer");
    const body: AskAnswer = {
      decision,
      ...(answers.length === 0 ? {} : { answers }),
      ...(reason === undefined ? {} : { message: reason }),
    };
    return withDaemon(context, async (client) => {
      const ask = findAsk((await client.asks()).asks, id);
      await client.answer(ask.id, body);
      const done = `The agent in lane ${oneLine(ask.lane)} has it: ${decision}.`;
      return printResult(context, { answered: ask.id, decision }, done);
    });
  },
};
