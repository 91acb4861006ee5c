/** Decides the outcome of rows that are appended together. Pure. */
import { withAppended } from "./edit-inbox.ts";
import type { ParsedInbox } from "./parse-inbox.ts";
import type { InboxFailure } from "./problems.ts";
import { tooLarge } from "./problems.ts";

export type Appended =
  /** `behind`: the key of the nearest earlier row that was not written together with this one. */
  | { outcome: "appended"; behind: string | null }
  /** The file already has a row with that key; nothing was written. */
  | { outcome: "known" }
  | InboxFailure;

export type Waiting = {
  readonly key: string;
  readonly text: string;
  /** An earlier round has written it, so a row with its key is this one. */
  isWritten: boolean;
};

export type BatchPlan<W extends Waiting> = {
  /** Null if there is nothing to write. */
  bytes: Buffer | null;
  /** The rows that `bytes` adds. */
  added: readonly W[];
  /** The outcome of each row once `bytes` is written. */
  outcomes: ReadonlyMap<W, Appended>;
};

export function planBatch<W extends Waiting>(
  inbox: ParsedInbox | null,
  waiting: readonly W[],
  { path, maxBytes }: { path: string; maxBytes: number },
): BatchPlan<W> {
  const keys = inbox?.keys ?? [];
  const present = new Set(keys);
  const together = new Set(
    waiting.filter(({ key, isWritten }) => isWritten || !present.has(key)).map(({ key }) => key),
  );
  const outcomes = new Map<W, Appended>();
  const added: W[] = [];
  let size = inbox?.bytes.length ?? 0;
  for (const one of waiting) {
    const bytes = Buffer.byteLength(one.text) + aroundRow;
    if (present.has(one.key)) {
      outcomes.set(one, one.isWritten ? appended(keys, keys.lastIndexOf(one.key), together) : { outcome: "known" });
    } else if (size + bytes > maxBytes) {
      outcomes.set(one, tooLarge(path, size + bytes, maxBytes));
    } else {
      outcomes.set(one, appended(keys, keys.length, together));
      added.push(one);
      present.add(one.key);
      size += bytes;
    }
  }
  const texts = added.map(({ text }) => text);
  return { bytes: texts.length > 0 ? withAppended(inbox, texts) : null, added, outcomes };
}

/** At most: a comma or brackets, and the whitespace between two rows. */
const aroundRow = 6;

function appended(keys: readonly (string | null)[], place: number, together: ReadonlySet<string>): Appended {
  const before = keys.slice(0, Math.max(place, 0)).findLast((key) => key !== null && !together.has(key));
  return { outcome: "appended", behind: before ?? null };
}
