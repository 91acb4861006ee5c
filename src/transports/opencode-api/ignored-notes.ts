/**
 * Reports which parts of a request were ignored: to programs in a response header, to people in a toast in their
 * terminal, once for each lane.
 */
import type { Context } from "hono";
import type { Env } from "../http/env.ts";
import type { EventHub } from "./events/event-hub.ts";
import { toast } from "./refused-routes.ts";

export type NoteFor = (c: Context<Env>, laneId: string, notice: string | null) => Promise<void>;

export const noticeHeader = "X-Waybill-Notice";

export function ignoredNotes(hub: Pick<EventHub, "publishTransient">): NoteFor {
  const told = new Set<string>();
  return async (c, laneId, notice) => {
    if (notice === null) return;
    c.header(noticeHeader, notice);
    const key = `${laneId} ${notice}`;
    if (told.has(key)) return;
    told.add(key);
    await hub.publishTransient(toast(notice));
  };
}
