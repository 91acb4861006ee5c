/** A hub on the service of a running world, and clients that follow it. */
import type { Engine } from "../../../src/service/engine.ts";
import type { HubDeps } from "../../../src/transports/opencode-api/events/event-hub.ts";
import { EventHub } from "../../../src/transports/opencode-api/events/event-hub.ts";
import type { SseFrame, StreamCursor } from "../../../src/transports/opencode-api/events/frames.ts";
import { cursorText } from "../../../src/transports/opencode-api/events/frames.ts";
import { sessionView } from "../../../src/transports/opencode-api/projection/session-view.ts";
import { settled } from "../core/manual-clock.ts";
import { serviceOf } from "../daemon/service-of.ts";
import type { World } from "../daemon/waybill.ts";

export function aHub(world: World, deps: Partial<HubDeps> = {}): EventHub {
  return hubOn(world.waybill, world, deps);
}

function hubOn(waybill: Engine, { clock, errors }: World, deps: Partial<HubDeps>): EventHub {
  return new EventHub({
    service: serviceOf(waybill),
    clock,
    sessionInfo: async (lane, updatedAt) => sessionView(lane, { projectID: "global", updatedAt, version: "0" }),
    report: (error) => errors.push(error),
    ...deps,
  });
}

export type Client = {
  /** Everything that it received. */
  seen: SseFrame[];
  from: string;
  leave(): Promise<void>;
};

/** Reads as fast as events arrive, until it leaves or has seen `most`. */
export async function aClient(
  hub: EventHub,
  options: { after?: string | StreamCursor; directory?: string; most?: number; withSnapshot?: boolean } = {},
): Promise<Client> {
  const { after, directory, most = Number.POSITIVE_INFINITY, withSnapshot = false } = options;
  const stop = new AbortController();
  const text = typeof after === "object" ? cursorText(after) : after;
  const { from, frames } = await hub.follow({ after: text, directory, withSnapshot, signal: stop.signal });
  const seen: SseFrame[] = [];
  const reading = (async () => {
    while (seen.length < most) {
      const { value, done } = await frames.next();
      if (done) return;
      seen.push(value);
    }
    stop.abort();
  })();
  await settled();
  return {
    seen,
    from: cursorText(from),
    async leave() {
      stop.abort();
      await reading;
    },
  };
}

/** What a replay also contains: everything except deltas. */
export function durable(frames: readonly SseFrame[], reference: readonly SseFrame[]): string[] {
  const known = new Set(reference.map(({ id }) => id));
  return frames.filter(({ id }) => known.has(id)).map((frame) => frame.plain);
}

/** The rest for a client that already got some texts when they were complete. */
export function withoutLiveTexts(reference: readonly SseFrame[], seen: readonly SseFrame[]): SseFrame[] {
  const live = new Set(seen.filter(({ liveText }) => liveText?.isRepeat === false).map(partOf));
  return reference.filter((frame) => !live.has(partOf(frame)));
}

/** The part and its text, if it is complete. */
function partOf({ plain }: SseFrame): string | null {
  const { part } = JSON.parse(plain.slice(plain.indexOf("data: ") + 6)).properties;
  return part?.text === undefined || part.time?.end === undefined ? null : `${part.id} ${part.text}`;
}
