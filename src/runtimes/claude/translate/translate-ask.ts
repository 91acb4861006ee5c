/** What the program asks of a person before it calls a tool: a permission, or the questions of `AskUserQuestion`. Pure. */
import type { Said } from "../../../core/turn/signal.ts";
import { permissionTitle } from "../../ask-title.ts";
import { questionsIn } from "../../asked-questions.ts";
import type { Json } from "../../json-fields.ts";
import { asList, asObject, asText } from "../../json-fields.ts";

export type AskSaid = Extract<Said, { type: "permission" | "question" }>;

/** Null when the request does not say which tool it is for, or cannot be answered. */
export function askSays(line: Json): AskSaid | null {
  const request = asObject(line.request) ?? {};
  const [ask, tool] = [asText(line.request_id), asText(request.tool_name)];
  if (ask === null || tool === null) return null;
  const call = asText(request.tool_use_id);
  const input = asObject(request.input) ?? {};
  if (tool === "AskUserQuestion") return { type: "question", ask, call, questions: questionsIn(input) };
  const suggestions = asList(request.permission_suggestions);
  return {
    type: "permission",
    ask,
    title: permissionTitle(tool, input, request),
    call,
    detail: { tool, input, suggestions },
  };
}
