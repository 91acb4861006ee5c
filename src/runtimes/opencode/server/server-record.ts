/**
 * The record of a server that Waybill starts, written before the start, so that the next run finds the server whatever
 * happens to this one. It holds the password and is readable by its owner only.
 */
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { AppError, messageOf } from "../../../app-error.ts";
import { writeWholeFile } from "../../../whole-file.ts";

const schema = z.object({
  /** Random, and in the server's environment: a process that carries it comes from this start. */
  nonce: z.string(),
  url: z.string(),
  password: z.string(),
  /** False where a person chose the password: others may have it, so knowing it proves nothing. */
  passwordIsRandom: z.boolean(),
  port: z.number().int(),
  startedAt: z.number(),
  /** Of program, version, address and environment. */
  fingerprint: z.string(),
  /** Null from just before the start until just after it. */
  pid: z.number().int().positive().nullable(),
  /** When that process began, as the system says it: tells it from a later one with the same id. */
  processStart: z.string().nullable(),
});

export type ServerRecord = z.output<typeof schema>;

/** Begins with a hash of the record's directory, so that a server is known as ours even when its record is lost. */
export function newNonce(directory: string): string {
  return `${hashOf(directory)}-${randomBytes(16).toString("hex")}`;
}

export function isNonceOf(directory: string, nonce: string): boolean {
  return nonce.startsWith(`${hashOf(directory)}-`);
}

const hashOf = (directory: string) => createHash("sha256").update(directory).digest("hex").slice(0, 16);

const pathIn = (directory: string) => join(directory, "server.json");

export function writeServerRecord(directory: string, record: ServerRecord): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeWholeFile(pathIn(directory), `${JSON.stringify(record)}\n`);
  } catch (error) {
    throw new AppError({
      code: "opencode_record_unwritable",
      message: `What has to be written down before an OpenCode server is started cannot be: ${messageOf(error)}.`,
      hint: `Check that ${directory} is writable for you and that its disk is not full. It is tried again by itself.`,
      retryable: true,
      cause: error,
    });
  }
}

/** Null when there is none, or when another version of Waybill wrote it. */
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
