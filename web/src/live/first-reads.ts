/**
 * Reads wait until the stream has opened: it brings everything that happens after them, so nothing is read twice. If
 * it does not open soon, they begin without it.
 */
const maxWaitMs = 1000;

let hasBegun = false;
let begin = (): void => {};
const begun = new Promise<void>((resolve) => {
  begin = resolve;
});
setTimeout(beginReads, maxWaitMs);

/** Resolves when reads may begin. */
export function readsBegun(): Promise<void> {
  return begun;
}

export function haveReadsBegun(): boolean {
  return hasBegun;
}

/** Returns whether they begin only now. */
export function beginReads(): boolean {
  if (hasBegun) return false;
  hasBegun = true;
  begin();
  return true;
}
