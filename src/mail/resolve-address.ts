/**
 * The one place where a name becomes an address. People and programs write to a lane, a person or a member of a team;
 * agents write a name, which is looked up among the recipients they may know.
 */

import type { Lane } from "../core/lane/lane.ts";
import { laneName } from "../core/lane/lane.ts";
import type { Address, WrittenAddress } from "../core/message/address.ts";
import { laneAddress, personAddress } from "../core/message/address.ts";
import type { Member, Team } from "../core/team/team.ts";
import { canonicalName, memberCalled } from "../core/team/team.ts";
import { AppError } from "../platform/app-error.ts";
import { knownLane, knownMember, suggestion } from "../store/known.ts";
import type { LaneStore, TeamStore } from "../store/port.ts";

/** Where recipients are looked up. */
export type Directory = Pick<LaneStore, "lane" | "lanes"> & Pick<TeamStore, "team" | "teams">;

/** `lane` is where messages to the address are delivered; without one, they wait in a mailbox. */
export type ResolvedAddress = { address: Address; name: string; lane: Lane | null };

export async function resolveAddress(written: WrittenAddress, directory: Directory): Promise<ResolvedAddress> {
  if ("lane" in written) return ofLane(await knownLane(directory, written.lane));
  if ("person" in written) return ofPerson(written.person);
  return ofMember(await knownMember(directory, written), directory);
}

async function ofMember(member: Member, directory: Directory): Promise<ResolvedAddress> {
  const { team, name, kind, lane } = member;
  switch (kind) {
    case "lane":
      return ofLane(await knownLane(directory, lane ?? ""));
    case "native":
      return { address: { kind: "member", team, member: name }, name, lane: null };
    case "person":
      return ofPerson(name);
    default:
      return kind satisfies never;
  }
}

function ofLane(lane: Lane): ResolvedAddress {
  return { address: laneAddress(lane.id), name: laneName(lane), lane };
}

function ofPerson(name: string): ResolvedAddress {
  return { address: personAddress(name), name, lane: null };
}

/** The recipients an agent may know. */
export type Acquaintance = {
  /** Its own team. */
  team: Team | null;
  /** People outside its team whom it can write to. */
  people: readonly string[];
};

/**
 * Resolves a name that an agent wrote: a member of its team first, then a person, then `team/member`, then a lane. An
 * unknown name is refused with the closest known one.
 */
export async function resolveName(
  written: string,
  { team, people }: Acquaintance,
  directory: Directory,
): Promise<ResolvedAddress> {
  const member = team && memberCalled(team, written);
  if (member) return ofMember(member, directory);
  const wanted = canonicalName(written);
  const person = people.find((one) => canonicalName(one) === wanted);
  if (person !== undefined) return ofPerson(person);
  const [, ofTeam, ofName] = /^([^/]+)\/([^/]+)$/.exec(wanted) ?? [];
  if (ofTeam !== undefined && ofName !== undefined) {
    return ofMember(await knownMember(directory, { team: ofTeam, member: ofName }), directory);
  }
  const lanes = await directory.lanes();
  const lane = lanes.find(({ id }) => id === wanted);
  if (lane) return ofLane(lane);
  throw recipientUnknown(written, [
    ...(team?.members.map(({ name }) => name) ?? []),
    ...people,
    ...(team ? [] : lanes.map(({ id }) => id)),
  ]);
}

function recipientUnknown(written: string, known: readonly string[]): AppError {
  return new AppError({
    code: "recipient_unknown",
    message: `Unknown recipient "${written.slice(0, 80)}".`,
    hint: suggestion(written, known, "Known", "team_list shows whom you can write to."),
  });
}
