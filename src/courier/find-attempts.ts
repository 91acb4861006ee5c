/**
 * Looks for the prompts of a delivery whose record was lost. Where a runtime takes our ids they are derived again, for
 * every attempt and every session that the lane has had; where it takes none, the marker tells.
 */

import type { Attempt } from "../core/delivery/attempt.ts";
import { attemptDigest, laterAttemptFields } from "../core/delivery/attempt.ts";
import { promptMarker } from "../core/delivery/prompt-text.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import type { TranscriptRow } from "../core/transcript/transcript.ts";
import type { Runtime } from "../runtimes/port.ts";
import type { LaneSession, Store } from "../store/port.ts";
import type { Reading } from "./read-transcript.ts";
import { readSlice } from "./read-transcript.ts";

type Search = Reading & { runtime: Runtime; store: Store };

/** Throws when a session cannot be read: it may hold the prompt. */
export async function findAttempts(record: DeliveryRecord, search: Search): Promise<Attempt[]> {
  const { store, lane, runtime } = search;
  const found = new Map<number, Attempt>();
  for (const session of await store.sessions(lane.id)) {
    const { rows } = await readSlice(session.sessionId, null, search);
    const attempts = runtime.traits.takesIds
      ? byIds(rows, record, session, runtime)
      : byMarker(rows, record, session, runtime, found.size);
    for (const attempt of attempts) found.set(attempt.number, attempt);
  }
  return withoutGaps(found, record, runtime);
}

function byIds(
  rows: readonly TranscriptRow[],
  record: DeliveryRecord,
  session: LaneSession,
  runtime: Runtime,
): Attempt[] {
  const indexes = new Map(rows.map((row, index) => [row.id, index]));
  const found: Attempt[] = [];
  // Numbers go on after a person's retry, so the search goes on for a whole budget behind the last one found.
  const budget = record.maxAttempts + record.maxRepairs;
  for (let number = 1; number <= (found.at(-1)?.number ?? 0) + budget; number++) {
    const { messageId } = runtime.idsFrom(attemptDigest(record.id, number, session.generation));
    const index = indexes.get(messageId);
    if (index !== undefined) found.push(attemptAt(rows, index, number, record, session, runtime));
  }
  return found;
}

function byMarker(
  rows: readonly TranscriptRow[],
  record: DeliveryRecord,
  session: LaneSession,
  runtime: Runtime,
  before: number,
): Attempt[] {
  const marker = promptMarker(record.messageId);
  const indexes = rows.flatMap((row, index) =>
    row.role === "user" && row.text.trimStart().startsWith(marker) ? [index] : [],
  );
  return indexes.map((index, found) => attemptAt(rows, index, before + found + 1, record, session, runtime));
}

function attemptAt(
  rows: readonly TranscriptRow[],
  index: number,
  number: number,
  record: DeliveryRecord,
  session: LaneSession,
  runtime: Runtime,
): Attempt {
  return {
    ...laterAttemptFields,
    ...runtime.idsFrom(attemptDigest(record.id, number, session.generation)),
    number,
    kind: number === 1 ? "prompt" : "retry",
    spends: "attempts",
    because: null,
    sessionId: session.sessionId,
    generation: session.generation,
    prePromptCursor: rows[index - 1]?.id ?? null,
    sends: 1,
    left: true,
    submittedAt: rows[index]?.createdAt ?? 0,
  };
}

/** Attempts are numbered without gaps, so one that is not found before one that is must have been lost on its way. */
function withoutGaps(found: ReadonlyMap<number, Attempt>, record: DeliveryRecord, runtime: Runtime): Attempt[] {
  const list: Attempt[] = [];
  for (const attempt of [...found.values()].sort((one, other) => one.number - other.number)) {
    while (list.length + 1 < attempt.number) {
      const number = list.length + 1;
      const ids = runtime.idsFrom(attemptDigest(record.id, number, attempt.generation));
      list.push({ ...attempt, ...ids, number, kind: number === 1 ? "prompt" : "retry" });
    }
    list.push(attempt);
  }
  return list;
}
