/**
 * What happens at a start, before anything new is sent: runtimes adopt or end what the last run left behind, records
 * that are gone are rebuilt from unread messages, and every lane with work is tended through the same courier.
 */
import type { Message } from "../mail/message.ts";
import type { Runtime, TranscriptRow } from "../runtimes/port.ts";
import type { Attempt } from "./attempt.ts";
import { attemptDigest } from "./attempt.ts";
import type { Courier, CourierDeps } from "./courier.ts";
import type { Lane } from "./lane.ts";
import { readSlice } from "./reading.ts";
import type { DeliveryRecord } from "./record.ts";
import { newDelivery } from "./record.ts";

export type RecoveryDeps = CourierDeps & { courier: Courier; hash: (message: Message) => string };

export async function recover(deps: RecoveryDeps): Promise<void> {
  for (const runtime of deps.runtimes.values()) await runtime.recover();
  await rebuildRecords(deps);
  for (const record of await deps.store.failedWithReply()) {
    await deps.courier.lookForLateProof(record.id, record.laneId);
  }
  // Not awaited: a lane whose agent hangs must not keep the others from starting.
  for (const laneId of await deps.store.lanesWithWork()) void deps.courier.tend(laneId, { look: true });
}

/** An unread message without a record may have been sent: its derived ids are looked for before it counts as new. */
async function rebuildRecords(deps: RecoveryDeps): Promise<void> {
  const { store, ledger, clock, policy } = deps;
  for (const message of await store.unrecorded()) {
    if (message.recipient.kind !== "lane") continue;
    const lane = await store.lane(message.recipient.lane);
    if (!lane) continue;
    try {
      const fresh = newDelivery(message, deps.hash(message), lane, policy, clock.now());
      const record = await withFoundAttempts(fresh, lane, deps);
      await ledger.around([{ type: "rebuilt", at: record.createdAt, record }], () => store.rebuild(record));
    } catch (error) {
      // Left without a record, and therefore unsent, until a later start can read the lane's sessions.
      deps.onTrouble({ laneId: lane.id, error });
    }
  }
}

async function withFoundAttempts(fresh: DeliveryRecord, lane: Lane, deps: RecoveryDeps): Promise<DeliveryRecord> {
  const runtime = deps.runtimes.get(lane.runtime);
  if (!runtime?.traits.takesIds) return { ...fresh, acceptanceUnknown: true };
  const found = new Map<number, Attempt>();
  for (const session of await deps.store.sessions(lane.id)) {
    const slice = await readSlice(session.sessionId, null, { ...deps, lane, runtime });
    for (const attempt of attemptsIn(slice.rows, fresh, session, runtime)) found.set(attempt.number, attempt);
  }
  const attemptList = withoutGaps(found, fresh, runtime);
  const last = attemptList.at(-1);
  if (!last) return { ...fresh, acceptanceUnknown: true };
  return {
    ...fresh,
    attemptList,
    attempts: attemptList.length,
    maxAttempts: Math.max(fresh.maxAttempts, attemptList.length),
    runtimeKind: runtime.kind,
    runtimeSessionId: last.sessionId,
    submittedAt: last.submittedAt,
  };
}

type Place = { generation: number; sessionId: string; cursor: string | null; at: number };

function attemptsIn(
  rows: readonly TranscriptRow[],
  fresh: DeliveryRecord,
  session: { generation: number; sessionId: string },
  runtime: Runtime,
): Attempt[] {
  const most = fresh.maxAttempts + fresh.maxRepairs;
  return Array.from({ length: most }, (_, index) => index + 1).flatMap((number) => {
    const { messageId } = runtime.idsFrom(attemptDigest(fresh.id, number, session.generation));
    const place = rows.findIndex((row) => row.id === messageId);
    const row = rows[place];
    if (!row) return [];
    return [
      rebuiltAttempt(fresh, number, runtime, { ...session, cursor: rows[place - 1]?.id ?? null, at: row.createdAt }),
    ];
  });
}

function rebuiltAttempt(fresh: DeliveryRecord, number: number, runtime: Runtime, place: Place): Attempt {
  return {
    ...runtime.idsFrom(attemptDigest(fresh.id, number, place.generation)),
    number,
    kind: number === 1 ? "prompt" : "retry",
    spends: "attempts",
    because: null,
    sessionId: place.sessionId,
    generation: place.generation,
    prePromptCursor: place.cursor,
    sends: 1,
    left: true,
    submittedAt: place.at,
  };
}

/** Attempts are numbered without gaps, so one that is not found before one that is must have been lost on its way. */
function withoutGaps(found: ReadonlyMap<number, Attempt>, fresh: DeliveryRecord, runtime: Runtime): Attempt[] {
  const list: Attempt[] = [];
  for (const attempt of [...found.values()].sort((one, other) => one.number - other.number)) {
    while (list.length + 1 < attempt.number) {
      const place = { ...attempt, cursor: attempt.prePromptCursor, at: attempt.submittedAt };
      list.push(rebuiltAttempt(fresh, list.length + 1, runtime, place));
    }
    list.push(attempt);
  }
  return list;
}
