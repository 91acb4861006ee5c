/**
 * Stores the bytes of attachments, each in a file named by the SHA-256 of its content. A file is stored before a
 * message that names it is admitted. A file that no message names is removed after a day.
 */

import { readFileSync, statSync, unlinkSync, utimesSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { unknownType } from "../../core/message/file-type.ts";
import type { Attachment } from "../../core/message/message.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import { putFile, writeIncoming } from "./write-file.ts";

/** `path` is where the bytes are stored. Never write there. */
export type StoredAttachment = Attachment & { path: string };

export type NewAttachment = { name: string; mimeType: string } & (
  | { bytes: Uint8Array }
  | { stream: AsyncIterable<Uint8Array> }
);

export type AttachmentFiles = {
  /** Safe to repeat: the same bytes are one file. The type is detected from the bytes where possible. */
  store(file: NewAttachment): Promise<Attachment>;
  find(id: string): Promise<StoredAttachment | null>;
  /** Like `find`, but also keeps the file for another day: long enough to admit a message that names it. */
  hold(id: string): Promise<StoredAttachment | null>;
  /** Removes files that no message names and that were not stored or held within a day; returns how many. */
  prune(named: (ids: readonly string[]) => Promise<ReadonlySet<string>>): Promise<number>;
};

export type AttachmentFileOptions = { directory: string; maxBytes: number; clock: Clock };

export function attachmentFiles({ directory, maxBytes, clock }: AttachmentFileOptions): AttachmentFiles {
  const find = async (id: string): Promise<StoredAttachment | null> => {
    // The id comes from a client and becomes part of a path.
    if (!attachmentIdPattern.test(id)) return null;
    const path = join(directory, id);
    const found = statSync(path, { throwIfNoEntry: false });
    return found ? { id, ...readDescription(path), size: found.size, path } : null;
  };
  return {
    async store(file) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const content = "bytes" in file ? [file.bytes] : file.stream;
      const incoming = await writeIncoming(directory, content, maxBytes, clock.now());
      const description = { name: plainName(file.name), mimeType: incoming.typeOf(file.mimeType) };
      await putFile(directory, incoming, JSON.stringify(description));
      return { id: incoming.hash, ...description, size: incoming.size };
    },
    find,
    async hold(id) {
      const found = await find(id);
      return found && touch(found.path, clock.now()) ? found : null;
    },
    prune: (named) => pruneFiles(directory, clock.now() - graceMs, named),
  };
}

const attachmentIdPattern = /^[0-9a-f]{64}$/;
const graceMs = 24 * 3600_000;

export function attachmentUnknown(id: string): AppError {
  return new AppError({
    code: "attachment_unknown",
    message: `There is no attachment "${id.slice(0, 80)}".`,
    hint: "Store it first (POST /v1/attachments). A file that no message names is removed after a day.",
  });
}

/** Synchronous, so that it runs before or after a removal, never between the removal's check and its unlink. */
function touch(path: string, now: number): boolean {
  try {
    utimesSync(path, now / 1000, now / 1000);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** The description may be lost; the file can still be read. */
function readDescription(path: string): Pick<Attachment, "name" | "mimeType"> {
  try {
    const { name, mimeType } = JSON.parse(readFileSync(`${path}.json`, "utf8")) as Record<string, unknown>;
    if (typeof name === "string" && typeof mimeType === "string") return { name, mimeType };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && !(error instanceof SyntaxError)) throw error;
  }
  return { name: "file", mimeType: unknownType };
}

/** Strips directories and characters that would break a line or a header, including lone surrogates. */
function plainName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  const plain = last.slice(0, 255).replaceAll(/[\p{Cc}\p{Cs}]/gu, "");
  return plain.trim() || "file";
}

/** How many files one store query covers. */
const batch = 500;

/** Removes files last written or held before `before`; returns how many attachments were removed. */
async function pruneFiles(
  directory: string,
  before: number,
  named: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<number> {
  const files = await filesIn(directory);
  const old = files.filter((name) => isOld(join(directory, name), before));
  const contents = old.filter((name) => !name.endsWith(".json"));
  let removed = 0;
  for (let start = 0; start < contents.length; start += batch) {
    const names = contents.slice(start, start + batch);
    const kept = await named(names);
    for (const name of names) {
      if (!kept.has(name) && removeIfOld(join(directory, name), before)) removed++;
    }
  }
  for (const name of old) {
    const content = join(directory, basename(name, ".json"));
    if (name.endsWith(".json") && !statSync(content, { throwIfNoEntry: false })) {
      removeIfOld(join(directory, name), before);
    }
  }
  return removed;
}

async function filesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function isOld(path: string, before: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.mtimeMs < before;
}

/**
 * The check and the unlink are synchronous: a message that names the file holds it before both, or does not find it.
 */
function removeIfOld(path: string, before: number): boolean {
  if (!isOld(path, before)) return false;
  unlinkSync(path);
  return true;
}
