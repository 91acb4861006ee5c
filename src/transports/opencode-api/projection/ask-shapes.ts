/** Permissions, questions and their answers in OpenCode's format. Pure. */
import type { PermissionRequest, QuestionRequest } from "@opencode-ai/sdk/v2/types";
import { askIdFor } from "../ids.ts";
import { proposedDiff } from "./file-diffs.ts";
import { isRecord } from "./json-record.ts";
import type { NativeEvent, UniversalEventOf } from "./native-event.ts";

/** The part that waits for the answer. */
export type AskingPart = {
  messageID: string;
  callID: string;
  tool: string;
  input: Readonly<Record<string, unknown>>;
} | null;

/** OpenCode has one permission for everything that changes files. */
const permissionOf: Readonly<Record<string, string>> = { write: "edit", patch: "edit", apply_patch: "edit" };

export function permissionAsked(
  { data }: UniversalEventOf<"permission.requested">,
  sessionID: string,
  part: AskingPart,
): NativeEvent {
  const { ask, title, detail } = data;
  const [head = title, ...rest] = title.split(": ");
  const patterns = rest.length === 0 ? [] : [rest.join(": ")];
  const properties: PermissionRequest = {
    id: askIdFor("permission", ask),
    sessionID,
    permission: part === null ? head : (permissionOf[part.tool] ?? part.tool),
    patterns,
    metadata: metadataOf(detail, part),
    // The patterns that `always` would allow; clients read how many there are.
    always: patterns.length === 0 ? ["*"] : patterns,
    ...toolOf(part),
  };
  return { type: "permission.asked", properties };
}

export function questionAsked(
  { data }: UniversalEventOf<"question.requested">,
  sessionID: string,
  part: AskingPart,
): NativeEvent {
  const questions = data.questions.map(({ header, question, options, multiple }) => ({
    question,
    header: header ?? "",
    options: options.map(({ label, description }) => ({ label, description: description ?? "" })),
    multiple,
  }));
  const properties: QuestionRequest = {
    id: askIdFor("question", data.ask),
    sessionID,
    questions,
    ...toolOf(part),
  };
  return { type: "question.asked", properties };
}

/** OpenCode's clients see an ask that expired with its turn as rejected. */
export function askReplied(
  event: UniversalEventOf<"permission.resolved" | "question.resolved">,
  sessionID: string,
): NativeEvent {
  const { ask, outcome } = event.data;
  if (event.type === "permission.resolved") {
    const reply = outcome === "expired" ? "reject" : outcome;
    return { type: "permission.replied", properties: { sessionID, requestID: askIdFor("permission", ask), reply } };
  }
  const requestID = askIdFor("question", ask);
  if (outcome !== "answered") return { type: "question.rejected", properties: { sessionID, requestID } };
  return { type: "question.replied", properties: { sessionID, requestID, answers: event.data.answers ?? [] } };
}

/** Clients expect the name of the file to be changed, and the change, here. */
function metadataOf(detail: unknown, part: AskingPart): Record<string, unknown> {
  const known = isRecord(detail) ? detail : {};
  const { filePath } = part?.input ?? {};
  if (typeof filePath !== "string") return known;
  const diff = proposedDiff(filePath, part?.input ?? {});
  return { filepath: filePath, ...(diff === null ? {} : { diff }), ...known };
}

function toolOf(part: AskingPart): { tool?: { messageID: string; callID: string } } {
  return part === null ? {} : { tool: { messageID: part.messageID, callID: part.callID } };
}
