/** A hub on the service of a running world, and clients that follow it. */
import type { Engine } from "../../src/service/engine.ts";
import type { HubDeps } from "../../src/transports/opencode-api/events/event-hub.ts";
import { EventHub } from "../../src/transports/opencode-api/events/event-hub.ts";
import type { Line } from "../../src/transports/opencode-api/events/frame.ts";
import type { Position } from "../../src/transports/opencode-api/events/position.ts";
import { positionText } from "../../src/transports/opencode-api/events/position.ts";
import { sessionView } from "../../src/transports/opencode-api/sessions/session-view.ts";
import { settled } from "./manual-clock.ts";
import { serviceOf } from "./service-of.ts";
import type { World } from "./waybill.ts";

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
  /** Everything that it has been given. */
  seen: Line[];
  from: string;
  leave(): Promise<void>;
};

/** Reads as fast as it is given something, until it leaves or has seen `most`. */
export async function aClient(
  hub: EventHub,
  options: { after?: string | Position; directory?: string; most?: number; withState?: boolean } = {},
): Promise<Client> {
  const { after, directory, most = Number.POSITIVE_INFINITY, withState = false } = options;
  const stop = new AbortController();
  const text = typeof after === "object" ? positionText(after) : after;
  const { from, lines } = await hub.follow({ after: text, directory, withState, signal: stop.signal });
  const seen: Line[] = [];
  const reading = (async () => {
    while (seen.length < most) {
      const { value, done } = await lines.next();
      if (done) return;
      seen.push(value);
    }
    stop.abort();
  })();
  await settled();
  return {
    seen,
    from: positionText(from),
    async leave() {
      stop.abort();
      await reading;
    },
  };
}

/** What is told in a replay, too: all but what deltas bring. */
export function durable(lines: readonly Line[], reference: readonly Line[]): string[] {
  const known = new Set(reference.map(({ id }) => id));
  return lines.filter(({ id }) => known.has(id)).map((line) => line.plain);
}

/** What is left of it for a client that was told some words as soon as they were whole. */
export function withoutEarly(reference: readonly Line[], seen: readonly Line[]): Line[] {
  const early = new Set(seen.filter(({ words }) => words?.again === false).map(partOf));
  return reference.filter((line) => !early.has(partOf(line)));
}

/** The part and its text, where it is whole. */
function partOf({ plain }: Line): string | null {
  const { part } = JSON.parse(plain.slice(plain.indexOf("data: ") + 6)).properties;
  return part?.text === undefined || part.time?.end === undefined ? null : `${part.id} ${part.text}`;
}
