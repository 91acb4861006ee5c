/** Who sends and who gets a message: a lane, a person, or a member of a team that somebody else runs. Pure. */

/**
 * Each has a mailbox of its own. A member that Waybill runs is addressed by its lane, and one that is a person by the
 * person's name, so that nobody has two mailboxes.
 */
export type Address =
  | { kind: "lane"; lane: string }
  | { kind: "member"; team: string; member: string }
  | { kind: "person"; name: string };

export function personAddress(name: string): Address {
  return { kind: "person", name };
}

export function laneAddress(lane: string): Address {
  return { kind: "lane", lane };
}

/** The name under which messages to an address stand; admission is idempotent by it and the message id. */
export function addressKey(address: Address): string {
  switch (address.kind) {
    case "lane":
      return `lane:${address.lane}`;
    case "member":
      return `member:${address.team}/${address.member}`;
    case "person":
      return `person:${address.name.toLowerCase()}`;
    default:
      return address satisfies never;
  }
}

export function isSameAddress(one: Address, other: Address): boolean {
  return addressKey(one) === addressKey(other);
}

/** Of somebody whose name is not known otherwise. */
export function nameIn(address: Address): string {
  switch (address.kind) {
    case "lane":
      return address.lane;
    case "member":
      return address.member;
    case "person":
      return address.name;
    default:
      return address satisfies never;
  }
}

/** As people and programs write one. */
export type WrittenAddress = { lane: string } | { person: string } | { team: string; member: string };

export function writtenAddress(address: Address): WrittenAddress {
  switch (address.kind) {
    case "lane":
      return { lane: address.lane };
    case "member":
      return { team: address.team, member: address.member };
    case "person":
      return { person: address.name };
    default:
      return address satisfies never;
  }
}
