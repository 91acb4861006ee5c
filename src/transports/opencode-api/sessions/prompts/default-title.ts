/** The default title of a client's session: the beginning of its first prompt. No model generates it. */
import type { Lane } from "../../../../core/lane/lane.ts";
import { isClientsLane } from "../new-session.ts";

const maxLength = 60;

/** Null for a session that has a title. */
export function defaultTitle({ id, displayName }: Pick<Lane, "id" | "displayName">, text: string): string | null {
  const line = text.trim().split("\n")[0]?.replace(/\s+/g, " ").trim() ?? "";
  if (displayName !== null || !isClientsLane(id) || line === "") return null;
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1).trimEnd()}…`;
}
