/** Translates permissions and questions to signals, both from events and from the server's lists. Pure. */
import type { SignalBody } from "../../../core/turn/signal.ts";
import type { PermissionRequest, QuestionRequest } from "../server/opencode-api.ts";

export type AskSignalBody = Extract<SignalBody, { type: "permission" | "question" }>;

/** `sessionId` is the session that asks, which may be below the lane's. */
export type PendingAskSignal = { sessionId: string; body: AskSignalBody };

export function requestTitle({ permission, patterns }: PermissionRequest): string {
  return patterns.length === 0 ? permission : `${permission}: ${patterns.join(", ")}`;
}

export function permissionSignal(request: PermissionRequest): AskSignalBody {
  const { id, metadata, tool } = request;
  const title = requestTitle(request);
  return { type: "permission", ask: id, title, call: tool?.callID ?? null, detail: metadata };
}

export function questionSignal({ id, questions, tool }: QuestionRequest): AskSignalBody {
  const all = questions.map(({ header, question, options, multiple }) => ({
    header,
    question,
    options: options.map(({ label, description }) => ({ label, description: description === "" ? null : description })),
    multiple: multiple === true,
  }));
  return { type: "question", ask: id, call: tool?.callID ?? null, questions: all };
}
