/**
 * What a session is called that a client made without a title: by what was first asked in it, so that people find it
 * again in a list. OpenCode lets its model find a name; here nothing is spent on it.
 */
import type { Lane } from "../../../../core/lane/lane.ts";
import { isClientsLane } from "../new-session.ts";

const longest = 60;

/** Null for one that has a title. */
export function firstTitle({ id, displayName }: Pick<Lane, "id" | "displayName">, text: string): string | null {
  const line = text.trim().split("\n")[0]?.replace(/\s+/g, " ").trim() ?? "";
  if (displayName !== null || !isClientsLane(id) || line === "") return null;
  return line.length <= longest ? line : `${line.slice(0, longest - 1).trimEnd()}…`;
}
