import { describe, expect, test } from "vitest";
import { isKept } from "../../../../test/support/core/events.ts";
import { ProjectedLane, settings } from "../../../../test/support/opencode/projected-lane.ts";
import type { DeliveryRecord } from "../../../core/delivery/record.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import { SessionProjection } from "../projection/session-projection.ts";
import type { LanePast } from "./read-events.ts";
import { restoreLane } from "./read-events.ts";

/** A turn that a person began in the program itself, longer than one page of events. */
function typed(lane: ProjectedLane, name: string): void {
  lane.says({ type: "prompt", message: `p-${name}`, parts: [{ type: "text", id: "t", text: name }] });
  for (let step = 0; step < 40; step++) {
    const message = `${name}-${step}`;
    lane.says(
      { type: "part", message, part: `${message}-1`, kind: "text", text: "Well." },
      { type: "message_done", message, error: null, usage: null },
    );
  }
  lane.says({ type: "rest" });
}

/** `m1` waits through four turns, and is then answered. Its record shows only the end. */
function waited() {
  const lane = new ProjectedLane();
  typed(lane, "before");
  lane.admits("m1");
  const admitted = lane.log.length;
  for (const name of ["one", "two", "three", "four"]) typed(lane, name);
  lane.sends("m1", "p1");
  lane.says(
    { type: "prompt", message: "p1", parts: [] },
    { type: "part", message: "a1", part: "a1-1", kind: "text", text: "Done." },
    { type: "message_done", message: "a1", error: null, usage: null },
    { type: "rest" },
  );
  lane.ends("m1", "responded");
  const log = lane.log.filter(isKept);
  const ofAdmission = lane.log[admitted - 1] as UniversalEvent;
  return { log, ofAdmission };
}

const hour = 3600_000;

function pastOf(
  log: readonly UniversalEvent[],
  records: readonly Partial<DeliveryRecord>[],
): LanePast & { reads: number } {
  const past = {
    reads: 0,
    async eventsBefore(_lane: string, seq: number | null, limit: number) {
      past.reads += 1;
      return log
        .filter((event) => event.seq < (seq ?? Number.POSITIVE_INFINITY))
        .slice(-limit)
        .reverse();
    },
    async deliveries({ statuses }: Parameters<LanePast["deliveries"]>[0]) {
      const items = records
        .filter(({ status }) => statuses === undefined || (status !== undefined && statuses.includes(status)))
        .map((record) => ({ record: record as DeliveryRecord, queuedBehind: null, excerpt: null }));
      return { items, next: null };
    },
  };
  return past;
}

describe("the restored past of a lane", () => {
  test("includes a message that waited through many turns, so that the session is busy throughout", async () => {
    const { log, ofAdmission } = waited();
    const ended = { messageId: "m1", status: "responded", createdAt: ofAdmission.time, respondedAt: hour } as const;
    const past = pastOf(log, [ended]);
    const whole = new SessionProjection(settings, { following: true });
    for (const event of log) {
      if (event.type === "turn.ended") {
        const recalled = new SessionProjection(settings, { following: true });
        for (const one of await restoreLane(past, "chat", event)) recalled.take(one);
        expect(recalled.take(event)).toEqual(whole.take(event));
      } else {
        whole.take(event);
      }
    }
  });

  test("includes a retried message, although later ones were answered long ago", async () => {
    const lane = new ProjectedLane();
    lane.admits("m1");
    lane.ends("m1", "failed_terminal");
    typed(lane, "before");
    lane.isRetried("m1");
    for (const name of ["one", "two", "three", "four"]) typed(lane, name);
    const log = lane.log.filter(isKept).map((event) => ({ ...event, time: event.time + 10 * hour }));
    const later = { messageId: "m2", status: "responded", createdAt: hour, respondedAt: hour } as const;
    const retried = { messageId: "m1", status: "pending", createdAt: 0 } as const;
    const recalled = new SessionProjection(settings, { following: true });
    const now = { seq: log.length + 1, time: null };
    for (const one of await restoreLane(pastOf(log, [later, retried]), "chat", now)) recalled.take(one);
    expect(recalled.isBusy).toBe(true);
  });

  test("does not go back more than two turns for messages that had ended, or were not admitted yet", async () => {
    const { log } = waited();
    const shifted = log.map((event) => ({ ...event, time: event.time + 10 * hour }));
    const last = shifted.at(-1) as UniversalEvent;
    const old = { messageId: "m0", status: "responded", createdAt: 0, respondedAt: hour } as const;
    const later = { messageId: "m9", status: "pending", createdAt: last.time + hour } as const;
    const noted = { messageId: "m8", status: "pending", createdAt: last.time + 1 } as const;
    const before = shifted.filter(({ seq }) => seq < last.seq - 20);
    const past = pastOf(before, [later, old]);
    await restoreLane(past, "chat", { seq: last.seq - 20, time: last.time });
    expect(past.reads).toBeLessThanOrEqual(4);
    const moved = before.map((event, index) => ({ ...event, time: index < 300 ? event.time - 2 * hour : event.time }));
    const stopped = pastOf(moved, [noted, old]);
    await restoreLane(stopped, "chat", { seq: last.seq - 20, time: last.time });
    expect(stopped.reads).toBeLessThan(Math.ceil(before.length / 100));
  });
});
