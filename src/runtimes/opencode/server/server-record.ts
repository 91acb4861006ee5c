/**
 * The record of a server that Waybill starts. It is written before the start, so that the next run finds the server
 * whatever happens to this run. It holds the password, so only its owner can read it.
 */
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { AppError, messageOf } from "../../../platform/app-error.ts";
import { writeWholeFile } from "../../../platform/whole-file.ts";

const schema = z.object({
  /** Random. It is in the server's environment, so it identifies the processes of this start. */
  nonce: z.string(),
  url: z.string(),
  password: z.string(),
  /** False if a person chose the password: others may know it too, so it does not prove that a server is ours. */
  passwordIsRandom: z.boolean(),
  port: z.number().int(),
  startedAt: z.number(),
  /** A hash of program, address and environment. */
  fingerprint: z.string(),
  /** Null from just before the start until just after it. */
  pid: z.number().int().positive().nullable(),
  /** The start time that the system reports. It distinguishes the process from a later one with the same id. */
  processStart: z.string().nullable(),
});

export type ServerRecord = z.output<typeof schema>;

/** Begins with a hash of the record's directory, so that a server can be recognised even if its record is lost. */
export function newNonce(directory: string): string {
  return `${hashOf(directory)}-${randomBytes(16).toString("hex")}`;
}

export function isNonceOf(directory: string, nonce: string): boolean {
  return nonce.startsWith(`${hashOf(directory)}-`);
}

const hashOf = (directory: string) => createHash("sha256").update(directory).digest("hex").slice(0, 16);

/** The directory of the server that the daemon with this state directory starts. */
export const serverDirectory = (stateDirectory: string) => join(stateDirectory, "opencode-server");

const pathIn = (directory: string) => join(directory, "server.json");

export function writeServerRecord(directory: string, record: ServerRecord): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeWholeFile(pathIn(directory), `${JSON.stringify(record)}\n`);
  } catch (error) {
    throw new AppError({
      code: "opencode_record_unwritable",
      message: `Cannot write the record that is required before an OpenCode server starts: ${messageOf(error)}.`,
      hint: `Check that ${directory} is writable and that its disk is not full. Waybill retries automatically.`,
      retryable: true,
      cause: error,
    });
  }
}

/** Null if there is no record, or if another version of Waybill wrote it. */
export function readServerRecord(directory: string): ServerRecord | null {
  try {
    return schema.safeParse(JSON.parse(readFileSync(pathIn(directory), "utf8"))).data ?? null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" || error instanceof SyntaxError) return null;
    throw error;
  }
}

export function removeServerRecord(directory: string): void {
  rmSync(pathIn(directory), { force: true });
}
