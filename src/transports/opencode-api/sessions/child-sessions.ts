/** The child sessions of a lane, such as its subagents', found in its kept events. */
import type { Session } from "@opencode-ai/sdk/v2/types";
import type { Service } from "../../../service/service.ts";
import { childSessionOf } from "../ids.ts";
import { childView } from "../projection/session-view.ts";
import { sessionUnknown } from "./find-session.ts";
import { eventsBackwards, readerOf } from "./history/read-backwards.ts";

/** Newest first. */
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
