/**
 * The ids that OpenCode's clients see. Each is derived from stored data, so it is the same after every restart and for
 * every client. They sort by time like OpenCode's own, because clients order their lists by id.
 */
import { createHash } from "node:crypto";

const sessionPrefix = "ses_";

/** A lane is one session for as long as it exists, however many sessions its agent program has had. */
export function sessionOf(laneId: string): string {
  return sessionPrefix + laneId;
}

/** A child session, such as a subagent's. The dot is safe: lane ids contain none. */
export function childSessionOf(laneId: string, nativeSession: string): string {
  return `${sessionOf(laneId)}.${lettersOf(nativeSession, 12)}`;
}

/** The lane of a session or child session; null for any other text. */
export function laneOf(sessionID: string): { lane: string; child: boolean } | null {
  const [, lane, child] = /^ses_([a-z0-9][a-z0-9_-]{0,63})(\.[A-Za-z0-9]+)?$/.exec(sessionID) ?? [];
  return lane === undefined ? null : { lane, child: child !== undefined };
}

/** A message that was admitted with an id in OpenCode's format keeps it; others get one. */
export function userMessageId(laneId: string, message: { id: string; createdAt: number }): string {
  if (/^msg_[A-Za-z0-9_]+$/.test(message.id)) return message.id;
  return timedId("msg", message.createdAt, 0, `${laneId}/${message.id}`);
}

/** For later prompts that Waybill sends for a message. Sorts by time, whatever id the program uses. */
export function laterPromptId(laneId: string, prompt: { id: string; at: number }): string {
  return timedId("msg", prompt.at, 0, `${laneId}/${prompt.id}`);
}

/** For a prompt that came without an id. */
export function newMessageId(at: number, random: string): string {
  return timedId("msg", at, 0, random);
}

/** `order`, up to 4095, sorts ids of the same moment. */
export function timedId(prefix: "msg" | "prt" | "evt", at: number, order: number, seed: string): string {
  const time = (BigInt(Math.trunc(at)) * 0x1000n + BigInt(order)) & 0xffff_ffff_ffffn;
  return `${prefix}_${time.toString(16).padStart(12, "0")}${lettersOf(seed, 14)}`;
}

/** Asks keep their program's id; OpenCode's prefix is added if it is missing. */
export function askIdFor(kind: "permission" | "question", ask: string): string {
  const prefix = askPrefix[kind];
  return ask.startsWith(prefix) ? ask : prefix + ask;
}

/** The ids that an ask may have in the ledger, given a client's id; empty for an ask of the other kind. */
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
