/** What sessions wait for a person to decide: permissions and questions, those of subtasks included. */
import type { Ask } from "../port.ts";
import type { HeardAsks } from "./heard-asks.ts";
import type { OpencodeApi, PermissionRequest, QuestionRequest } from "./opencode-api.ts";
import { OpencodeError } from "./opencode-api.ts";
import type { SessionTree } from "./session-tree.ts";
import type { Asked } from "./translate-ask.ts";
import { permissionSays, questionSays } from "./translate-ask.ts";

type Place = { api: OpencodeApi; tree: SessionTree; heard: HeardAsks };
type Whose = { directory: string; sessionId: string };

export async function pendingAsks(place: Place, of: Whose, signal: AbortSignal): Promise<Ask[]> {
  const { permissions, questions } = await pendingRequests(place, of, signal);
  return [...permissions.map(permissionAsk), ...questions.map(questionAsk)];
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
  const [permissions, questions] = await Promise.all([
    openPermissions(api, heard, of.directory, signal),
    api.questions(of.directory, signal),
  ]);
  const ours = async <T extends { sessionID: string }>(all: readonly T[]): Promise<T[]> => {
    const isOurs = await Promise.all(all.map((one) => tree.isBelow(one.sessionID, of.sessionId, signal)));
    return all.filter((_, index) => isOurs[index]);
  };
  return { permissions: await ours(permissions), questions: await ours(questions) };
}

export async function openPermissions(
  api: OpencodeApi,
  heard: HeardAsks,
  directory: string,
  signal: AbortSignal,
): Promise<PermissionRequest[]> {
  try {
    return await api.permissions(directory, signal);
  } catch (error) {
    // The server chokes on one of its own asks.
    if (error instanceof OpencodeError && error.status === 400) return heard.list();
    throw error;
  }
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
