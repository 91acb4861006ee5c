/** Senders and recipients of messages: a lane, a person, or a team member that somebody else runs. Pure. */

/**
 * Each address has its own mailbox. A member that Waybill runs is addressed by its lane, and a person by name, so
 * that no one has two mailboxes.
 */
export type Address =
  | { kind: "lane"; lane: string }
  | { kind: "member"; team: string; member: string }
  | { kind: "person"; name: string };

export type MemberAddress = Extract<Address, { kind: "member" }>;

export function personAddress(name: string): Address {
  return { kind: "person", name };
}

export function laneAddress(lane: string): Address {
  return { kind: "lane", lane };
}

/** The key of an address's mailbox. Admission is idempotent by this key and the message id. */
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

/** For an address whose name is not known otherwise. */
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

/** The form that people and programs write. */
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
