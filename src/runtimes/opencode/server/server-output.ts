/**
 * The file that a server prints to, limited in size. A second file keeps output that no longer fits, and the output of
 * the previous server. The server only appends, so the file can be truncated while it runs.
 */
import { copyFileSync, openSync, renameSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";

const maxBytes = 10 * 1024 * 1024;
const checkMs = 60_000;

export const outputIn = (directory: string) => join(directory, "output.log");
const earlierIn = (directory: string) => join(directory, "output.old.log");
const sizeIn = (directory: string) => statSync(outputIn(directory), { throwIfNoEntry: false })?.size ?? 0;

/** Opens an empty file for a server that is about to start. */
export function openOutput(directory: string): number {
  if (sizeIn(directory) > 0) renameSync(outputIn(directory), earlierIn(directory));
  return openSync(outputIn(directory), "a", 0o600);
}

/** Checks the size regularly until the returned function is called. */
export function boundOutput(directory: string, onError: (error: unknown) => void): () => void {
  const timer = setInterval(() => {
    try {
      shrinkOutput(directory);
    } catch (error) {
      onError(error);
    }
  }, checkMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Loses output that is printed between the copy and the truncation, which is acceptable for a log. */
export function shrinkOutput(directory: string, max = maxBytes): void {
  if (sizeIn(directory) <= max) return;
  copyFileSync(outputIn(directory), earlierIn(directory));
  truncateSync(outputIn(directory));
}
