/**
 * An orderly end of a run: nothing new is sent, and running turns get a while to end and be committed. Turns that
 * have not ended by then stay in the ledger, and the next start finds them there.
 */

import type { DeliveryRecord } from "../core/delivery/record.ts";
import { isOutstanding } from "../core/delivery/record.ts";
import type { Clock } from "../platform/clock.ts";
import type { LedgerStore, LogStore } from "../store/port.ts";
import type { Courier } from "./courier.ts";

export type Drained = "drained" | "left_running";

export type DrainDeps = {
  store: Pick<LedgerStore, "lanesWithWork" | "outstanding"> & Pick<LogStore, "onLog">;
  courier: Courier;
  clock: Clock;
};

/** Ends when no turn is running, when `ms` have passed, or when `hurry` is aborted. */
export async function drain(deps: DrainDeps, ms: number, hurry: AbortSignal): Promise<Drained> {
  const turns = watchTurns(deps);
  const { clock } = deps;
  let takeBack = () => {};
  const leave = new Promise<Drained>((resolve) => {
    const leaveThem = () => resolve("left_running");
    const cancel = clock.at(clock.now() + ms, leaveThem);
    hurry.addEventListener("abort", leaveThem, { once: true });
    takeBack = () => {
      cancel();
      hurry.removeEventListener("abort", leaveThem);
    };
    if (hurry.aborted) leaveThem();
  });
  try {
    return await Promise.race([leave, turns.ended]);
  } finally {
    takeBack();
    turns.forget();
  }
}

/** Holds the courier, and listens for changes instead of polling. */
function watchTurns({ store, courier }: DrainDeps): { ended: Promise<Drained>; forget: () => void } {
  const latest = new Map<string, DeliveryRecord>();
  const see = (record: DeliveryRecord) => {
    if ((latest.get(record.id)?.version ?? 0) < record.version) latest.set(record.id, record);
  };
  let onChange = () => {};
  // Subscribe before anything is read, so that no change is missed in between.
  const forget = store.onLog((items) => {
    for (const item of items) if (item.type === "delivery") see(item.record);
    onChange();
  });
  const lookAround = async () => {
    await courier.hold();
    for (const laneId of await store.lanesWithWork()) {
      const record = await store.outstanding(laneId);
      if (record) see(record);
    }
  };
  const ended = lookAround().then(
    () =>
      new Promise<Drained>((resolve) => {
        onChange = () => {
          if (![...latest.values()].some(turnRuns)) resolve("drained");
        };
        onChange();
      }),
  );
  return { ended, forget };
}

/**
 * Sent, and possibly still being worked on. A delivery that waits for its retry, or only owes its read, blocks no
 * drain.
 */
function turnRuns(record: DeliveryRecord): boolean {
  if (record.status === "submitting" || record.status === "accepted") return true;
  const ended = record.status === "responded" || record.status === "cancelled";
  // A pending follow-up or file check waits for the next start.
  const waits = record.nextAttempt !== null || record.claims !== null;
  return ended && record.turnEndedAt === null && isOutstanding(record) && !waits;
}
