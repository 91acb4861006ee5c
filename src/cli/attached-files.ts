/** `--attach FILE`: reads every file before anything is sent, then uploads them to the daemon. */
import { readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Attachment, WaybillClient } from "../client/index.ts";
import { guessType, headBytes } from "../core/message/file-type.ts";
import { maxAttachments } from "../core/message/message.ts";
import { AppError, messageOf } from "../platform/app-error.ts";
import { usageError } from "./errors.ts";

type LocalFile = { name: string; mimeType: string; content: Uint8Array<ArrayBuffer> };

/** Far above the daemon's default limit. Without it, a disk image would fill the memory. */
const maxReadBytes = 1_000_000_000;

export async function readAttachedFiles(paths: readonly string[]): Promise<LocalFile[]> {
  if (paths.length > maxAttachments) throw usageError(`a message can have at most ${maxAttachments} files`, "send");
  const files: LocalFile[] = [];
  for (const path of paths) files.push(await readAttachedFile(path));
  return files;
}

async function readAttachedFile(path: string): Promise<LocalFile> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw unusable(path, "is a directory", "Attach its files one by one.");
    // Opening a pipe would wait for a writer.
    if (!found.isFile()) throw unusable(path, "is not a regular file", "Copy its content into a file first.");
    if (found.size > maxReadBytes) throw unusable(path, "is too large", "Give its path in the text instead.");
    const content = new Uint8Array(await readFile(path));
    const name = basename(resolve(path));
    return { name, mimeType: guessType(name, content.subarray(0, headBytes)), content };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const problem = code === "ENOENT" ? "does not exist" : `cannot be read: ${messageOf(error)}`;
    throw unusable(path, problem, "Check the path. Nothing was sent.");
  }
}

export async function storeAttachedFiles(client: WaybillClient, files: readonly LocalFile[]): Promise<Attachment[]> {
  const stored: Attachment[] = [];
  for (const { content, ...about } of files) stored.push(await client.attach(content, about));
  return stored;
}

function unusable(path: string, problem: string, hint: string): AppError {
  return new AppError({ code: "file_unusable", message: `The file ${path} ${problem}.`, hint });
}
