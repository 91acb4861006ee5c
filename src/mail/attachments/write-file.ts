/**
 * Writes an attachment's bytes to a temporary file as they arrive, and renames it once they are durable. A crash leaves
 * at most a temporary file, which is removed later.
 */
import { createHash, randomUUID } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileType, headBytes } from "../../core/message/file-type.ts";
import { AppError } from "../../platform/app-error.ts";

type Content = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export type Incoming = { path: string; hash: string; size: number; typeOf: (claimed: string) => string };

export async function writeIncoming(
  directory: string,
  content: Content,
  maxBytes: number,
  now: number,
): Promise<Incoming> {
  const path = join(directory, `incoming-${randomUUID()}`);
  const file = await open(path, "wx", 0o600);
  try {
    const written = await writeContent(file, content, maxBytes);
    await file.utimes(now / 1000, now / 1000);
    await file.sync();
    await file.close();
    return { path, ...written };
  } catch (error) {
    await file.close();
    await rm(path, { force: true });
    throw error;
  }
}

async function writeContent(file: FileHandle, content: Content, maxBytes: number): Promise<Omit<Incoming, "path">> {
  const hash = createHash("sha256");
  let head = Buffer.alloc(0);
  let size = 0;
  for await (const chunk of content) {
    size += chunk.byteLength;
    if (size > maxBytes) throw attachmentTooLarge(maxBytes);
    if (head.length < headBytes) head = Buffer.concat([head, chunk.subarray(0, headBytes)]);
    hash.update(chunk);
    // In a loop, because one call may write fewer bytes than it was given.
    for (let done = 0; done < chunk.byteLength; ) done += (await file.write(chunk, done)).bytesWritten;
  }
  return { hash: hash.digest("hex"), size, typeOf: (claimed) => fileType(claimed, head) };
}

/** The description comes first, so that no file lacks one whenever the process dies. */
export async function putFile(directory: string, incoming: Incoming, description: string): Promise<void> {
  const { path, hash } = incoming;
  const beside = `${path}.json`;
  try {
    await writeDurably(beside, description);
    await rename(beside, join(directory, `${hash}.json`));
    await rename(path, join(directory, hash));
  } catch (error) {
    for (const left of [beside, path]) await rm(left, { force: true });
    throw error;
  }
  await syncDirectory(directory);
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

export function attachmentTooLarge(maxBytes: number): AppError {
  return new AppError({
    code: "attachment_too_large",
    message: `An attachment may have at most ${maxBytes} bytes.`,
    hint: "Send a smaller file, or raise `maxAttachmentBytes` in the configuration.",
  });
}
