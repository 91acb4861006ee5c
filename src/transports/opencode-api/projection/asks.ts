/**
 * An agent's permissions and questions in OpenCode's format: the last event of each, and the call that waits for it.
 */
import type { PermissionRequest, QuestionRequest } from "@opencode-ai/sdk/v2/types";
import { askIdFor } from "../ids.ts";
import type { AskingPart } from "./assistant-step.ts";
import type { SessionMessages } from "./session-messages.ts";
import type { NativeEvent, UniversalEventOf } from "./session-view.ts";
import { isRecord, proposedDiff } from "./tool-shapes.ts";

type Requested = UniversalEventOf<"permission.requested" | "question.requested">;
type Resolved = UniversalEventOf<"permission.resolved" | "question.resolved">;

export class AskLog {
  readonly #asks = new Map<string, { last: NativeEvent; isOpen: boolean }>();
  /** The calls behind open questions. */
  readonly #callers = new Map<string, { call: string; session: SessionMessages }>();

  add(event: Requested, session: SessionMessages): NativeEvent[] {
    const { ask, call } = event.data;
    if (call !== null && event.type === "question.requested") this.#callers.set(ask, { call, session });
    const { sessionID } = session;
    const part = session.askingPart(call);
    const last =
      event.type === "permission.requested"
        ? permissionAsked(event, sessionID, part)
        : questionAsked(event, sessionID, part);
    this.#asks.set(ask, { last, isOpen: true });
    return [last];
  }

  resolve(event: Resolved, { sessionID }: SessionMessages): NativeEvent[] {
    const last = askReplied(event, sessionID);
    this.#asks.set(event.data.ask, { last, isOpen: false });
    return [last, ...this.#showAnswers(event)];
  }

  of(sessionID: string): NativeEvent[] {
    return [...this.#asks.values()].flatMap(({ last }) => (last.properties.sessionID === sessionID ? [last] : []));
  }

  forgetClosed(): void {
    for (const [ask, { isOpen }] of this.#asks) if (!isOpen) this.#asks.delete(ask);
  }

  /** Clients show the answers with the call that asked. */
  #showAnswers({ type, data, time }: Resolved): NativeEvent[] {
    const caller = this.#callers.get(data.ask);
    this.#callers.delete(data.ask);
    if (!caller || type !== "question.resolved" || data.answers === null) return [];
    return caller.session.stepOfCall(caller.call)?.addMetadata(caller.call, { answers: data.answers }, time) ?? [];
  }
}

/** OpenCode has one permission for everything that changes files. */
const permissionOf: Readonly<Record<string, string>> = { write: "edit", patch: "edit", apply_patch: "edit" };

function permissionAsked(
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

function questionAsked(
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
function askReplied(
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
