/** What sessions wait for a person to decide: permissions and questions, those of subtasks included. */
import { AppError, messageOf } from "../../../app-error.ts";
import type { Ask } from "../../../core/transcript/transcript.ts";
import type { AskAnswer } from "../../port.ts";
import type { OpencodeApi, PermissionRequest, QuestionRequest } from "../server/opencode-api.ts";
import { isNotFound, OpencodeError } from "../server/opencode-api.ts";
import type { Asked } from "../translate/translate-ask.ts";
import { permissionSays, questionSays } from "../translate/translate-ask.ts";
import type { HeardAsks } from "./heard-asks.ts";
import type { SessionTree } from "./session-tree.ts";

type Place = { api: OpencodeApi; tree: SessionTree; heard: HeardAsks };
type Whose = { directory: string; sessionId: string };

/** `listed` is false while the server cannot list them; what its events told of stands in for its list then. */
export type PendingAsks = { asks: readonly Ask[]; listed: boolean };

export const nothingAsked: PendingAsks = { asks: [], listed: true };

export async function pendingAsks(place: Place, of: Whose, signal: AbortSignal): Promise<PendingAsks> {
  const { permissions, questions, listed } = await pendingRequests(place, of, signal);
  return { asks: [...permissions.map(permissionAsk), ...questions.map(questionAsk)], listed };
}

/** The same, as it is said to those who watch. */
export async function askedBy(place: Place, of: Whose, signal: AbortSignal): Promise<Asked[]> {
  const { permissions, questions } = await pendingRequests(place, of, signal);
  return [
    ...permissions.map((one) => ({ sessionId: one.sessionID, said: permissionSays(one) })),
    ...questions.map((one) => ({ sessionId: one.sessionID, said: questionSays(one) })),
  ];
}

async function pendingRequests({ api, tree, heard }: Place, of: Whose, signal: AbortSignal) {
  const [{ open, listed }, questions] = await Promise.all([
    openPermissions(api, heard, of.directory, signal),
    api.questions(of.directory, signal),
  ]);
  const ours = async <T extends { sessionID: string }>(all: readonly T[]): Promise<T[]> => {
    const isOurs = await Promise.all(all.map((one) => tree.isBelow(one.sessionID, of.sessionId, signal)));
    return all.filter((_, index) => isOurs[index]);
  };
  return { permissions: await ours(open), questions: await ours(questions), listed };
}

export async function openPermissions(
  api: OpencodeApi,
  heard: HeardAsks,
  directory: string,
  signal: AbortSignal,
): Promise<{ open: PermissionRequest[]; listed: boolean }> {
  try {
    return { open: await api.permissions(directory, signal), listed: true };
  } catch (error) {
    // The server chokes on one of its own asks.
    if (error instanceof OpencodeError && error.status === 400) return { open: heard.list(), listed: false };
    throw error;
  }
}

export async function replyTo(
  ask: { id: string; directory: string },
  { decision, answers = [] }: AskAnswer,
  api: OpencodeApi,
  signal: AbortSignal,
): Promise<void> {
  const { id, directory } = ask;
  if (isPermission(id)) await api.replyPermission(id, directory, { reply: decision }, signal);
  else if (decision === "reject") await api.rejectQuestion(id, directory, signal);
  else await api.replyQuestion(id, directory, answers, signal);
}

export function isPermission(askId: string): boolean {
  return askId.startsWith("per");
}

/** For whoever answered: what became of it, and whether it is worth another try. */
export function answerRefused(askId: string, cause: unknown): unknown {
  if (isNotFound(cause)) {
    const message = `Nothing is asked under "${askId}" any more.`;
    const hint = "Somebody may have answered it, or its turn has ended. `waybill asks` lists what is open.";
    return new AppError({ code: "ask_unknown", message, hint, cause });
  }
  const isAway = cause instanceof AppError && cause.code === "opencode_not_running";
  if (!isAway && !(cause instanceof OpencodeError)) return cause;
  return new AppError({
    code: "runtime_unavailable",
    message: `OpenCode did not take the answer: ${messageOf(cause)}`,
    hint: "Look at `waybill asks` in a moment; what is still there can be answered again.",
    retryable: true,
    cause,
  });
}

function permissionAsk({ id, sessionID, permission, patterns }: PermissionRequest): Ask {
  const what = patterns.length === 0 ? permission : `${permission}: ${patterns.join(", ")}`;
  return { id, kind: "permission", sessionId: sessionID, title: what, askedAt: null };
}

function questionAsk({ id, sessionID, questions }: QuestionRequest): Ask {
  const title = questions.map(({ question, options }) => {
    const choices = options.map((option) => option.label).join(" | ");
    return choices === "" ? question : `${question} (${choices})`;
  });
  return { id, kind: "question", sessionId: sessionID, title: title.join("\n"), askedAt: null };
}
