/** The id of the draft that streams a delivery's answer. It stays the same after a restart. Pure. */
import { createHash } from "node:crypto";

export function draftIdOf(delivery: string): number {
  const digest = createHash("sha256").update(delivery).digest();
  // Positive in 32 bits, and never zero.
  return (digest.readUInt32BE(0) >>> 1) | 1;
}
