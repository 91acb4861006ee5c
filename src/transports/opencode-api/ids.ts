/**
 * The ids that OpenCode's clients see. Each is made from what is kept, so it is the same at every reading, after every
 * restart, for every client; and they sort as OpenCode's own do, by time, since clients keep their lists in that order.
 */
import { createHash } from "node:crypto";

const sessionPrefix = "ses_";

/** A lane is one session for as long as it exists, however many sessions its agent program has had meanwhile. */
export function sessionOf(laneId: string): string {
  return sessionPrefix + laneId;
}

/** A session below the lane's own, as of a subagent. No lane has a dot in its name. */
export function childSessionOf(laneId: string, nativeSession: string): string {
  return `${sessionOf(laneId)}.${lettersOf(nativeSession, 12)}`;
}

/** The lane of a session, also of one below; null for what is no session of ours. */
export function laneOf(sessionID: string): { lane: string; child: boolean } | null {
  const [, lane, child] = /^ses_([a-z0-9][a-z0-9_-]{0,63})(\.[A-Za-z0-9]+)?$/.exec(sessionID) ?? [];
  return lane === undefined ? null : { lane, child: child !== undefined };
}

/** A message that was admitted under an id of OpenCode's form keeps it; others get one. */
export function userMessageId(laneId: string, message: { id: string; createdAt: number }): string {
  if (/^msg_[A-Za-z0-9_]+$/.test(message.id)) return message.id;
  return timedId("msg", message.createdAt, 0, `${laneId}/${message.id}`);
}

/** For the message id of a prompt whose sender gave none: it is admitted under it. */
export function newMessageId(at: number, random: string): string {
  return timedId("msg", at, 0, random);
}

/** `order` tells those of the same moment apart, up to 4095. */
export function timedId(prefix: "msg" | "prt" | "evt", at: number, order: number, seed: string): string {
  const time = (BigInt(Math.trunc(at)) * 0x1000n + BigInt(order)) & 0xffff_ffff_ffffn;
  return `${prefix}_${time.toString(16).padStart(12, "0")}${lettersOf(seed, 14)}`;
}

/** Asks keep their program's id, with OpenCode's prefix where they have none. */
export function askIdFor(kind: "permission" | "question", ask: string): string {
  const prefix = askPrefix[kind];
  return ask.startsWith(prefix) ? ask : prefix + ask;
}

/** What an ask may be called in the ledger, given what a client calls it; nothing for one of the other kind. */
export function askNames(kind: "permission" | "question", requestID: string): string[] {
  const prefix = askPrefix[kind];
  return requestID.startsWith(prefix) ? [requestID, requestID.slice(prefix.length)] : [];
}

const askPrefix = { permission: "per_", question: "que_" } as const;

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function lettersOf(seed: string, count: number): string {
  const digest = createHash("sha256").update(seed).digest();
  return [...digest.subarray(0, count)].map((byte) => letters[byte % letters.length]).join("");
}
