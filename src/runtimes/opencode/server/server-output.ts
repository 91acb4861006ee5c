/**
 * The file that a server prints to. It is bounded: the one before it is kept beside it, and so is what no longer fits.
 * The server only ever appends, so the file can be emptied under it.
 */
import { copyFileSync, openSync, renameSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";

const largest = 10 * 1024 * 1024;
const everyMs = 60_000;

export const outputIn = (directory: string) => join(directory, "output.log");
const earlierIn = (directory: string) => join(directory, "output.old.log");

/** Empty, for a server that is about to be started. */
export function openOutput(directory: string): number {
  if (sizeOf(directory) > 0) renameSync(outputIn(directory), earlierIn(directory));
  return openSync(outputIn(directory), "a", 0o600);
}

/** Looks now and then, until the function that it returns is called. */
export function keepOutputSmall(directory: string, onError: (error: unknown) => void): () => void {
  const timer = setInterval(() => {
    try {
      shrinkOutput(directory);
    } catch (error) {
      onError(error);
    }
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** What is printed between the copy and the cut is lost, which a log can bear. */
export function shrinkOutput(directory: string, most = largest): void {
  if (sizeOf(directory) <= most) return;
  copyFileSync(outputIn(directory), earlierIn(directory));
  truncateSync(outputIn(directory));
}

const sizeOf = (directory: string) => statSync(outputIn(directory), { throwIfNoEntry: false })?.size ?? 0;
