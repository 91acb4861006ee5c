/** What a topic is bound to: a lane, a team member, or a whole team. Pure. */
import type { Lane } from "../../../core/lane/lane.ts";
import type { WrittenAddress } from "../../../core/message/address.ts";
import { leadRole } from "../../../core/team/team.ts";

/** A team without a member: messages go to its lead, and alerts of all its members come to the topic. */
export type Binding = { lane: string } | { team: string; member: string } | { team: string };

/** Where a bound topic's messages go. */
export function addressOf(binding: Binding): WrittenAddress {
  if ("lane" in binding) return binding;
  return { team: binding.team, member: "member" in binding ? binding.member : leadRole };
}

/** Whether events of a lane concern a topic with this binding. */
export function concerns(binding: Binding, lane: Pick<Lane, "id" | "team" | "member">): boolean {
  if ("lane" in binding) return binding.lane === lane.id;
  if (binding.team !== lane.team) return false;
  return !("member" in binding) || binding.member === lane.member;
}

/** As people write it. */
export function bindingName(binding: Binding): string {
  if ("lane" in binding) return binding.lane;
  return "member" in binding ? `${binding.team}/${binding.member}` : binding.team;
}
