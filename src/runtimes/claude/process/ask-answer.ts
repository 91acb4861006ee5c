/** What a person decided, in the words that Claude Code takes. Pure. */

import type { Json } from "../../json-fields.ts";
import { asList, asObject, asText } from "../../json-fields.ts";
import type { AskAnswer } from "../../port.ts";
import type { ToolAsk } from "./stdio-client.ts";

/** A refusal ends the turn: the agent is not to find another way to do what a person said no to. */
export function answerTo(ask: ToolAsk, { decision, answers = [] }: AskAnswer): Json {
  if (decision === "reject") return { behavior: "deny", message: "A person refused this.", interrupt: true };
  if (ask.kind === "question")
    return { behavior: "allow", updatedInput: { ...ask.input, answers: byQuestion(ask, answers) } };
  const allow = { behavior: "allow", updatedInput: ask.input };
  return decision === "always" ? { ...allow, updatedPermissions: ask.suggestions.map(forThisSession) } : allow;
}

function byQuestion(ask: ToolAsk, answers: readonly (readonly string[])[]): Json {
  const questions = asList(ask.input.questions).map((one) => asText(asObject(one)?.question) ?? "");
  return Object.fromEntries(
    questions.flatMap((question, place) => {
      const chosen = answers[place] ?? [];
      return chosen.length === 0 ? [] : [[question, chosen.join(", ")]];
    }),
  );
}

/** As the program proposes it, it would be written into the project's own settings. */
function forThisSession(suggestion: unknown): unknown {
  const rule = asObject(suggestion);
  return rule ? { ...rule, destination: "session" } : suggestion;
}
