/**
 * The agent's plan and file changes, from its newest events. Older plans and changes are not shown, so that the cost of
 * opening a session does not depend on its length.
 */
import type { SnapshotFileDiff, Todo } from "@opencode-ai/sdk/v2/types";
import type { Item } from "../../../../core/turn/item.ts";
import type { UniversalEvent } from "../../../../core/turn/universal-event.ts";
import { childSessionOf, sessionOf } from "../../ids.ts";
import { fileDiff } from "../../projection/file-diffs.ts";
import type { SessionSettings } from "../../projection/native-event.ts";
import { todosOf } from "../../projection/todos.ts";
import { foldEvents } from "./fold-events.ts";
import type { ReadBefore } from "./read-backwards.ts";
import { eventsBackwards } from "./read-backwards.ts";

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
