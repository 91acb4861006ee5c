/** The hash that ids are derived from. The one thing that the core takes from outside: it is as pure as the rest. */
import { createHash } from "node:crypto";

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
