/** A button press and its result. */

import type { Handled } from "../telegram-context.ts";
import type { Incoming } from "./read-update.ts";
import type { StoredUpdate } from "./update-queue.ts";

export type Press = Extract<Incoming, { kind: "button" }> & { update: StoredUpdate };

/** `words` are shown to the person who pressed: briefly, or as an alert until they close it. */
export type Pressed = { words: string; isAlert?: boolean; writes?: Handled };

export const overWords = "This is no longer open.";
