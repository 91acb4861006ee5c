/** Reads and parses one inbox file. Caches the last result, so that only changed parts are parsed again. */
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type { Damage, ParsedInbox } from "./parse-inbox.ts";
import { bytesToParse, parseInbox, parseSteps } from "./parse-inbox.ts";
import type { InboxFailure } from "./problems.ts";
import { corrupt } from "./problems.ts";
import type { FileState, Found, Missing } from "./read-bytes.ts";
import { msSinceChange, readNow, readSoon } from "./read-bytes.ts";

export type Looked = { outcome: "looked"; inbox: ParsedInbox; state: FileState };
/** There is too much to parse, or it does not parse right now: look without the lock first. */
export type Unparsed = { outcome: "unparsed" };

/**
 * A program that writes in place leaves half a file for a moment. A file that was not touched for long is not being
 * written.
 */
const momentsMs = [10, 40, 100, 200] as const;
const oldMs = 1000;

/** The longest that parsing may block the event loop, and how many bytes can be read and parsed in that time. */
const longestParseMs = 3;
const atOnce = 512 * 1024;

export class InboxReader {
  readonly path: string;
  readonly maxBytes: number;
  #known: ParsedInbox | null = null;

  constructor(path: string, maxBytes: number) {
    this.path = path;
    this.maxBytes = maxBytes;
  }

  /** Reads without the lock. */
  async look(): Promise<Looked | Missing | InboxFailure> {
    for (let moment = 0; ; moment++) {
      const found = await this.#read();
      if (found.outcome !== "found") return found;
      const inbox = await this.#parse(found.bytes);
      const waitMs = momentsMs[moment];
      if (!("damage" in inbox)) {
        if (!found.isTorn || waitMs === undefined) return this.#looked(inbox, found.state);
      } else {
        const isOld = moment > 0 && msSinceChange(found.state) > oldMs;
        if (waitMs === undefined || isOld) return corrupt(this.path, inbox.damage);
      }
      await pause(waitMs);
    }
  }

  /** For the holder of the lock. `parseAll`: parse everything, however long it takes. */
  lookNow({ parseAll }: { parseAll: boolean }): Looked | Missing | Unparsed | InboxFailure {
    const found = readNow(this.path, this.maxBytes);
    if (found.outcome !== "found") return found;
    if (!parseAll && bytesToParse(found.bytes, this.#known) > atOnce) return { outcome: "unparsed" };
    const inbox = parseInbox(found.bytes, this.#known);
    return "damage" in inbox ? { outcome: "unparsed" } : this.#looked(inbox, found.state);
  }

  /** A file that was not read before may have to come from the disk. */
  async #read(): Promise<Found | Missing | InboxFailure> {
    const isInMemory = this.#known !== null && this.#known.bytes.length <= atOnce;
    return isInMemory ? readNow(this.path, this.maxBytes) : readSoon(this.path, this.maxBytes);
  }

  #looked(inbox: ParsedInbox, state: FileState): Looked {
    this.#known = inbox;
    return { outcome: "looked", inbox, state };
  }

  async #parse(bytes: Buffer): Promise<ParsedInbox | Damage> {
    const steps = parseSteps(bytes, this.#known);
    let until = performance.now() + longestParseMs;
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      if (performance.now() < until) continue;
      await nextTurn();
      until = performance.now() + longestParseMs;
    }
  }
}
