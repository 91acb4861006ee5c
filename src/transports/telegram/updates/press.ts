/** A press of a button, and what it comes to. */

import type { Handled } from "../telegram-context.ts";
import type { Incoming } from "./read-update.ts";
import type { StoredUpdate } from "./update-queue.ts";

export type Press = Extract<Incoming, { kind: "button" }> & { update: StoredUpdate };

/** `words` are shown to the person who pressed, for a moment or until they close them. */
export type Pressed = { words: string; isAlert?: boolean; writes?: Handled };

export const overWords = "This is over.";
