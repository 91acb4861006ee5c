/** Names of lanes and members, made safe to show: they cannot reverse the text around them. Pure. */
import type { Team } from "waybill/client";
import { proseText } from "../ui/safe-text.ts";

type Named = { displayName: string | null };

export function withSafeName<T extends Named>(named: T): T {
  return named.displayName === null ? named : { ...named, displayName: proseText(named.displayName) };
}

export function withSafeNames(team: Team): Team {
  return { ...withSafeName(team), members: team.members.map(withSafeName) };
}
