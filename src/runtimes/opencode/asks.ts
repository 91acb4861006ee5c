/** What sessions wait for a person to decide: permissions and questions, those of subtasks included. */
import type { Ask } from "../port.ts";
import type { HeardAsks } from "./heard-asks.ts";
import type { OpencodeApi, PermissionRequest, QuestionRequest } from "./opencode-api.ts";
import { OpencodeError } from "./opencode-api.ts";
import type { SessionTree } from "./session-tree.ts";

export async function pendingAsks(
  { api, tree, heard }: { api: OpencodeApi; tree: SessionTree; heard: HeardAsks },
  of: { directory: string; sessionId: string },
  signal: AbortSignal,
): Promise<Ask[]> {
  const [permissions, questions] = await Promise.all([
    api.permissions(of.directory, signal).catch((error) => unlisted(error, heard)),
    api.questions(of.directory, signal),
  ]);
  const all = [...permissions.map(permissionAsk), ...questions.map(questionAsk)];
  const ours = await Promise.all(all.map((ask) => tree.isBelow(ask.sessionId, of.sessionId, signal)));
  return all.filter((_, place) => ours[place]);
}

/** The server chokes on one of its own asks. */
function unlisted(error: unknown, heard: HeardAsks): PermissionRequest[] {
  if (error instanceof OpencodeError && error.status === 400) return heard.list();
  throw error;
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
