/**
 * What an agent planned and changed, from the newest of its events. Only so far back is looked that opening a session
 * costs the same however long it has been: a plan or a change that is older is not shown.
 */
import type { SnapshotFileDiff, Todo } from "@opencode-ai/sdk/v2/types";
import type { FilePart } from "../../../../core/turn/item.ts";
import type { UniversalEvent } from "../../../../core/turn/universal-event.ts";
import { childSessionOf, sessionOf } from "../../ids.ts";
import { fileDiff } from "../../projection/file-diffs.ts";
import type { Place } from "../../projection/session-projection.ts";
import { todosOf } from "../../projection/todos.ts";
import { foldEvents } from "./fold-events.ts";
import type { ReadBefore } from "./read-backwards.ts";

const farthest = 2000;

/** The newest plan. */
export async function todosIn(read: ReadBefore, sessionID: string): Promise<Todo[]> {
  const slice = 200;
  let before: number | null = null;
  for (let looked = 0; looked < farthest; looked += slice) {
    const events: readonly UniversalEvent[] = await read(before, slice);
    const plan = events.find((event) => completed(event, "plan") && isOf(event, sessionID));
    if (plan?.type === "item.completed") {
      const [part] = plan.data.item.parts;
      return todosOf(part?.type === "json" ? part.value : null);
    }
    if (events.length < slice) break;
    before = events.at(-1)?.seq ?? 0;
  }
  return [];
}

/** One entry a file, oldest change first; with `messageID` only what was changed for that message. */
export async function diffIn(
  read: ReadBefore,
  { place, sessionID, messageID }: { place: Place; sessionID: string; messageID: string | undefined },
): Promise<SnapshotFileDiff[]> {
  const events = (await read(null, farthest)).toReversed();
  const turns = messageID === undefined ? null : turnsFor(messageID, sessionID, place, events);
  const files = events.flatMap((event) => {
    const isWanted = isOf(event, sessionID) && (turns === null || (event.turn !== null && turns.has(event.turn)));
    return isWanted ? filesIn(event) : [];
  });
  return byFile(files.map(fileDiff));
}

function turnsFor(messageID: string, sessionID: string, place: Place, events: readonly UniversalEvent[]): Set<number> {
  const { projection, begun } = foldEvents(events, place);
  const turns = projection.messages(sessionID).flatMap(({ info }) => {
    if (info.role !== "assistant" || info.parentID !== messageID) return [];
    return begun.get(info.id)?.turn ?? [];
  });
  return new Set(turns);
}

/** A file that was changed several times has all of its changes, one after the other. */
function byFile(diffs: readonly SnapshotFileDiff[]): SnapshotFileDiff[] {
  const files = new Map<string, SnapshotFileDiff>();
  for (const diff of diffs) {
    const known = files.get(diff.file ?? "");
    files.set(diff.file ?? "", known ? together(known, diff) : diff);
  }
  return [...files.values()];
}

function together(one: SnapshotFileDiff, next: SnapshotFileDiff): SnapshotFileDiff {
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

function filesIn(event: UniversalEvent): FilePart[] {
  if (event.type !== "item.completed" || !completed(event, "file_change")) return [];
  return event.data.item.parts.filter((part) => part.type === "file");
}

function completed(event: UniversalEvent, kind: string): boolean {
  return event.type === "item.completed" && event.data.item.kind === kind;
}

function isOf({ lane, nativeSession }: UniversalEvent, sessionID: string): boolean {
  return (nativeSession === undefined ? sessionOf(lane) : childSessionOf(lane, nativeSession)) === sessionID;
}
