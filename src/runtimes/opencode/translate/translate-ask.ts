/** What is asked of a person, as signals. Pure; the same for events and for what the server lists. */
import type { Said } from "../../../core/turn/signal.ts";
import type { PermissionRequest, QuestionRequest } from "../server/opencode-api.ts";

export type AskSaid = Extract<Said, { type: "permission" | "question" }>;
/** Where it is asked, and how that is said. */
export type Asked = { sessionId: string; said: AskSaid };

export function permissionSays({ id, permission, patterns, metadata, tool }: PermissionRequest): AskSaid {
  const title = patterns.length === 0 ? permission : `${permission}: ${patterns.join(", ")}`;
  return { type: "permission", ask: id, title, call: tool?.callID ?? null, detail: metadata };
}

export function questionSays({ id, questions, tool }: QuestionRequest): AskSaid {
  const all = questions.map(({ header, question, options, multiple }) => ({
    header,
    question,
    options: options.map(({ label, description }) => ({ label, description: description === "" ? null : description })),
    multiple: multiple === true,
  }));
  return { type: "question", ask: id, call: tool?.callID ?? null, questions: all };
}
