/** Tells once when the process of a server of ours has ended. */
import { isAlive } from "../../process/process-table.ts";
import type { OwnServer } from "./server-process.ts";

/** A child says so itself. One that was taken over is nobody's child here, and has to be looked at now and then. */
export function whenEnded({ child, record }: OwnServer, everyMs: number, ended: (why: string) => void): () => void {
  if (child) {
    const onExit = (code: number | null, signal: string | null) =>
      ended(signal ? `It was ended by ${signal}.` : `It ended with exit code ${code}.`);
    if (child.exitCode !== null || child.signalCode !== null) {
      queueMicrotask(() => onExit(child.exitCode, child.signalCode));
    }
    child.once("exit", onExit);
    return () => child.removeListener("exit", onExit);
  }
  const timer = setInterval(() => {
    if (record.pid !== null && isAlive(record.pid, record.processStart)) return;
    clearInterval(timer);
    ended("It has ended.");
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
