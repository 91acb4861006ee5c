/** The sessions below a lane's own, as of subagents: found in what is kept of the lane's events. */
import type { Session } from "@opencode-ai/sdk/v2/types";
import type { Service } from "../../../service/service.ts";
import { childSessionOf } from "../ids.ts";
import { sessionUnknown } from "./known-session.ts";
import { childView } from "./session-view.ts";

/** Newest first. */
export async function childSessions(service: Service, parent: Session): Promise<Session[]> {
  const found = new Map<string, Session>();
  for await (const { id, time } of heardOf(service, parent.slug)) {
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

async function* heardOf(service: Service, lane: string): AsyncGenerator<{ id: string; time: number }> {
  const slice = 500;
  for (let before: number | null = null; ; ) {
    const events = await service.eventsBefore(lane, before, slice);
    for (const { nativeSession, time } of events) {
      if (nativeSession !== undefined) yield { id: childSessionOf(lane, nativeSession), time };
    }
    if (events.length < slice) return;
    before = events.at(-1)?.seq ?? 0;
  }
}
