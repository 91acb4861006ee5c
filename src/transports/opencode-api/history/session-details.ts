/**
 * What a session's kept events say about it: the agent's plan and file changes, its child sessions, and where a prompt
 * was published. Older plans and changes are not shown, so that the cost of opening a session does not depend on its
 * length.
 */
import type { Session, SnapshotFileDiff, Todo } from "@opencode-ai/sdk/v2/types";
import type { Item } from "../../../core/turn/item.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { Service } from "../../../service/service.ts";
import { messageUnknown, notServed, sessionUnknown } from "../error-response.ts";
import { childSessionOf, sessionOf } from "../ids.ts";
import type { SessionSettings } from "../projection/session-view.ts";
import { childView, sessionSettings } from "../projection/session-view.ts";
import { fileDiff, todosOf } from "../projection/tool-shapes.ts";
import type { FoundSession } from "../request.ts";
import type { ReadBefore } from "./read-events.ts";
import { eventsBackwards, foldEvents, readerOf, readSpans } from "./read-events.ts";

const maxEvents = 2000;

export async function latestTodos(read: ReadBefore, sessionID: string): Promise<Todo[]> {
  for await (const event of eventsBackwards(read, null, maxEvents)) {
    const plan = completedItem(event, "plan", sessionID)?.parts;
    if (plan) return todosOf(plan[0]?.type === "json" ? plan[0].value : null);
  }
  return [];
}

/** One entry per file, oldest change first; with `messageID`, only the changes made for that message. */
export async function sessionDiff(
  read: ReadBefore,
  { settings, sessionID, messageID }: { settings: SessionSettings; sessionID: string; messageID: string | undefined },
): Promise<SnapshotFileDiff[]> {
  const events = (await read(null, maxEvents)).toReversed();
  const turns = messageID === undefined ? null : await turnsFor(messageID, sessionID, settings, events);
  const diffs = events.flatMap((event) => {
    if (turns !== null && (event.turn === null || !turns.has(event.turn))) return [];
    const { parts = [] } = completedItem(event, "file_change", sessionID) ?? {};
    return parts.filter((part) => part.type === "file").map(fileDiff);
  });
  return byFile(diffs);
}

async function turnsFor(
  messageID: string,
  sessionID: string,
  settings: SessionSettings,
  events: readonly UniversalEvent[],
): Promise<Set<number>> {
  const { projection, begun } = await foldEvents(events, settings);
  const turns = projection.messages(sessionID).flatMap(({ info }) => {
    if (info.role !== "assistant" || info.parentID !== messageID) return [];
    return begun.get(info.id)?.turn ?? [];
  });
  return new Set(turns);
}

/** The entry of a file that was changed several times contains all of its changes in order. */
function byFile(diffs: readonly SnapshotFileDiff[]): SnapshotFileDiff[] {
  const files = new Map<string, SnapshotFileDiff>();
  for (const diff of diffs) {
    const known = files.get(diff.file ?? "");
    files.set(diff.file ?? "", known ? joinDiffs(known, diff) : diff);
  }
  return [...files.values()];
}

function joinDiffs(one: SnapshotFileDiff, next: SnapshotFileDiff): SnapshotFileDiff {
  const patch = [one.patch, next.patch].filter((text) => text !== undefined).join("\n");
  const status = one.status === "added" && next.status === "modified" ? one.status : (next.status ?? one.status);
  return {
    ...one,
    ...(patch === "" ? {} : { patch }),
    additions: one.additions + next.additions,
    deletions: one.deletions + next.deletions,
    ...(status === undefined ? {} : { status }),
  };
}

function completedItem(event: UniversalEvent, kind: Item["kind"], sessionID: string): Item | null {
  if (event.type !== "item.completed" || event.data.item.kind !== kind) return null;
  const { lane, nativeSession } = event;
  const session = nativeSession === undefined ? sessionOf(lane) : childSessionOf(lane, nativeSession);
  return session === sessionID ? event.data.item : null;
}

/** Such as its subagents', newest first. */
export async function childSessions(service: Service, parent: Session): Promise<Session[]> {
  const lane = parent.slug;
  const found = new Map<string, Session>();
  for await (const { nativeSession, time } of eventsBackwards(readerOf(service, lane), null)) {
    if (nativeSession === undefined) continue;
    const id = childSessionOf(lane, nativeSession);
    const known = found.get(id) ?? childView(parent, id, time);
    found.set(id, { ...known, time: { ...known.time, created: time } });
  }
  return [...found.values()];
}

export async function childSession(service: Service, parent: Session, id: string): Promise<Session> {
  const child = (await childSessions(service, parent)).find((one) => one.id === id);
  if (!child) throw sessionUnknown(id);
  return child;
}

/** The number of the event with which a client's prompt was first published. */
export async function promptEvent(
  read: ReadBefore,
  { sessionID, state }: Pick<FoundSession, "sessionID" | "state">,
  messageID: string,
): Promise<number> {
  for await (const { events, completeSince } of readSpans(read, null)) {
    const { projection, begun } = await foldEvents(events, sessionSettings(state.lane));
    const message = projection.messages(sessionID).find(({ info }) => info.id === messageID);
    const first = begun.get(messageID);
    if (!message || !first || message.info.time.created < (completeSince ?? 0)) continue;
    if (message.info.role === "user") return first.seq;
    throw notServed(
      `${messageID} is an answer, but a session can be forked only before a prompt.`,
      "Name a message of the user, or leave `messageID` out.",
    );
  }
  throw messageUnknown(messageID);
}
