/** Permissions and questions that sessions and their subtasks wait for, and the answers to them. */

import type { Lane } from "../../core/lane/lane.ts";
import type { Ask } from "../../core/transcript/transcript.ts";
import type { SignalBody } from "../../core/turn/signal.ts";
import { AppError, messageOf } from "../../platform/app-error.ts";
import type { AskAnswer } from "../port.ts";
import type { OpencodeApi, PermissionRequest, QuestionRequest, StoredMessage } from "./client/api.ts";
import { isNotFound, OpencodeError } from "./client/api.ts";
import type { SessionRegistry } from "./client/session-registry.ts";
import type { PermissionRule } from "./permissions/permission-policy.ts";

export type AskContext = {
  api: OpencodeApi;
  registry: SessionRegistry;
  /**
   * The permissions that events reported as pending, by id. The server's own list is the truth, but the whole list
   * fails while one entry lacks an optional field, as every webfetch without a timeout does (seen with 1.18.33).
   */
  receivedPermissions: Map<string, PermissionRequest>;
};

/** `listed` is false while the server cannot list permissions. Then those that events reported replace its list. */
export type PendingRequests = {
  permissions: readonly PermissionRequest[];
  questions: readonly QuestionRequest[];
  listed: boolean;
};

export const noRequests: PendingRequests = { permissions: [], questions: [], listed: true };

/** The requests of the session and of all sessions below it. */
export async function readPendingRequests(
  context: AskContext,
  lane: Lane,
  sessionId: string,
  signal: AbortSignal,
): Promise<PendingRequests> {
  const { api, registry } = context;
  const directory = await registry.directoryOf(lane, sessionId, signal);
  const [{ permissions, listed }, questions] = await Promise.all([
    listPermissions(context, directory, signal),
    api.questions(directory, signal),
  ]);
  const ofSession = async <T extends { sessionID: string }>(all: readonly T[]): Promise<T[]> => {
    const isBelow = await Promise.all(all.map((one) => registry.isBelow(one.sessionID, sessionId, signal)));
    return all.filter((_, index) => isBelow[index]);
  };
  return { permissions: await ofSession(permissions), questions: await ofSession(questions), listed };
}

/** The permissions of all sessions in a directory. */
export async function listPermissions(
  { api, receivedPermissions }: AskContext,
  directory: string,
  signal: AbortSignal,
): Promise<{ permissions: PermissionRequest[]; listed: boolean }> {
  try {
    return { permissions: await api.permissions(directory, signal), listed: true };
  } catch (error) {
    // The server cannot encode one of its own asks.
    if (!(error instanceof OpencodeError) || error.status !== 400) throw error;
    return { permissions: [...receivedPermissions.values()], listed: false };
  }
}

export function asksFrom({ permissions, questions }: PendingRequests): Ask[] {
  return [...permissions.map(permissionAsk), ...questions.map(questionAsk)];
}

export function askSignals({ permissions, questions }: PendingRequests): PendingAskSignal[] {
  return [
    ...permissions.map((one) => ({ sessionId: one.sessionID, body: permissionSignal(one) })),
    ...questions.map((one) => ({ sessionId: one.sessionID, body: questionSignal(one) })),
  ];
}

/**
 * An ask from before the daemon started, or from a gap in the events, is only in the server's list. If that list fails,
 * an open tool call may be waiting for such an ask.
 */
export function mayMissAsk(
  { permissions, questions, listed }: PendingRequests,
  rows: readonly StoredMessage[],
): boolean {
  if (listed || permissions.length > 0 || questions.length > 0) return false;
  const parts = rows.at(-1)?.parts ?? [];
  return parts.some((part) => part.type === "tool" && ["pending", "running"].includes(part.state.status));
}

export function isPermissionRequest(value: object): value is PermissionRequest {
  const { id, sessionID, permission, patterns } = value as Record<string, unknown>;
  return [id, sessionID, permission].every((one) => typeof one === "string") && Array.isArray(patterns);
}

export async function answerAsk(
  api: OpencodeApi,
  { id, directory }: { id: string; directory: string },
  { decision, answers = [], message }: AskAnswer,
  signal: AbortSignal,
): Promise<void> {
  if (isPermission(id)) {
    const reason = decision === "reject" && message !== undefined ? { message } : {};
    return api.answerAsk({ id, directory, kind: "permission" }, "reply", { reply: decision, ...reason }, signal);
  }
  const question = { id, directory, kind: "question" } as const;
  if (decision === "reject") return api.answerAsk(question, "reject", undefined, signal);
  return api.answerAsk(question, "reply", { answers }, signal);
}

export function isPermission(askId: string): boolean {
  return askId.startsWith("per");
}

/** Tells a person why their answer failed, and whether it is worth trying again. */
export function askAnswerError(askId: string, cause: unknown): unknown {
  if (isNotFound(cause)) {
    const message = `The ask "${askId}" is no longer open.`;
    const hint = "Somebody may have answered it, or its turn has ended. `waybill asks` lists the open asks.";
    return new AppError({ code: "ask_unknown", message, hint, cause });
  }
  const isNotRunning = cause instanceof AppError && cause.code === "opencode_not_running";
  if (!isNotRunning && !(cause instanceof OpencodeError)) return cause;
  return new AppError({
    code: "runtime_unavailable",
    message: `OpenCode did not accept the answer: ${messageOf(cause)}`,
    hint: "Run `waybill asks` in a moment, and answer again if the ask is still listed.",
    retryable: true,
    cause,
  });
}

function permissionAsk(request: PermissionRequest): Ask {
  const { id, sessionID: sessionId } = request;
  return { id, kind: "permission", sessionId, title: requestTitle(request), askedAt: null };
}

function questionAsk({ id, sessionID, questions }: QuestionRequest): Ask {
  const title = questions.map(({ question, options }) => {
    const choices = options.map((option) => option.label).join(" | ");
    return choices === "" ? question : `${question} (${choices})`;
  });
  return { id, kind: "question", sessionId: sessionID, title: title.join("\n"), askedAt: null };
}

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

/**
 * A permission that a person grants with "always" overrides every rule in OpenCode, including denials, and covers
 * everything below the requested directory. If that would allow something denied, it is granted only once. Pure.
 */
export function allowsDenied(
  { permission, always }: Pick<PermissionRequest, "permission" | "always">,
  rules: readonly PermissionRule[],
): boolean {
  const denied = rules.filter((rule) => rule.action === "deny" && rule.permission === permission);
  return denied.some((rule) => always.some((pattern) => covers(pattern, rule.pattern)));
}

/** Matches like OpenCode: `*` is any text, including slashes. */
function covers(pattern: string, subject: string): boolean {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll("*", ".*").replaceAll("?", ".")}$`, "s").test(subject);
}
