/** The ask that Claude Code sends before it calls a tool, and the response to it. Pure. */
import type { Json } from "../json-fields.ts";
import { asList, asObject, asText } from "../json-fields.ts";
import type { AskAnswer } from "../port.ts";
import type { AgentAsk } from "../process-pool/asks.ts";
import { permissionTitle, questionsIn, questionsTitle } from "../process-pool/asks.ts";

export type ToolAsk = AgentAsk & { detail: { tool: string; input: Json; suggestions: readonly unknown[] } };

/** Null for a request without an id. */
export function toolAskIn(line: Json): ToolAsk | null {
  const id = asText(line.request_id);
  if (id === null) return null;
  const request = asObject(line.request) ?? {};
  const tool = asText(request.tool_name) ?? "";
  const input = asObject(request.input) ?? {};
  const isQuestion = tool === "AskUserQuestion";
  const questions = isQuestion ? questionsIn(input) : [];
  return {
    id,
    kind: isQuestion ? "question" : "permission",
    title: isQuestion ? questionsTitle(questions) : permissionTitle(tool, input, request.description),
    call: asText(request.tool_use_id),
    detail: { tool, input, suggestions: asList(request.permission_suggestions) },
    questions,
  };
}

/**
 * A refusal ends the turn, so that the agent does not look for another way to do what a person refused. A refusal with
 * a reason tells the agent what to do instead, and the turn continues.
 */
export function askResponse(
  { kind, detail, questions }: ToolAsk,
  { decision, answers = [], message }: AskAnswer,
): Json {
  if (decision === "reject") {
    return message === undefined
      ? { behavior: "deny", message: "A person refused this.", interrupt: true }
      : { behavior: "deny", message: `A person refused this: ${message}` };
  }
  const { input, suggestions } = detail;
  if (kind === "question") {
    const chosen = questions.flatMap(({ question }, index) => {
      const labels = answers[index] ?? [];
      return labels.length === 0 ? [] : [[question, labels.join(", ")]];
    });
    return { behavior: "allow", updatedInput: { ...input, answers: Object.fromEntries(chosen) } };
  }
  const allow = { behavior: "allow", updatedInput: input };
  return decision === "always" ? { ...allow, updatedPermissions: suggestions.map(forThisSession) } : allow;
}

/** By default the program would write its suggestion to the project's settings. */
function forThisSession(suggestion: unknown): unknown {
  const rule = asObject(suggestion);
  return rule ? { ...rule, destination: "session" } : suggestion;
}
