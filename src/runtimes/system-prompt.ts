/**
 * The configured text that every agent gets in addition to its own instructions. It is read before each prompt. A
 * prompt is never sent without it, so messages wait while the file is unusable.
 */
import { open, stat } from "node:fs/promises";
import { AppError } from "../platform/app-error.ts";

/** The text is part of every model call, so a larger file is a mistake. */
export const maxBytes = 64 * 1024;

export type SystemPrompt = { text: string | null } | { unusable: string };

/** An empty file counts as none. */
export async function readSystemPrompt(path: string | undefined): Promise<SystemPrompt> {
  if (path === undefined) return { text: null };
  const unusable = (why: string) => ({ unusable: `system_prompt_unusable: ${path} ${why}` });
  let bytes: Buffer;
  try {
    bytes = await firstBytes(path, maxBytes + 1);
  } catch (error) {
    return unusable(errorText(error));
  }
  if (bytes.length > maxBytes) return unusable(`is larger than ${maxBytes / 1024} KiB`);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).trim();
    return { text: text === "" ? null : text };
  } catch {
    return unusable("is not UTF-8 text");
  }
}

export async function usableSystemPrompt(path: string | undefined): Promise<string | null> {
  const prompt = await readSystemPrompt(path);
  if ("unusable" in prompt) throw new AppError({ code: "system_prompt_unusable", message: prompt.unusable });
  return prompt.text;
}

/** The configured text comes first. */
export function withPromptSystem(configured: string | null, ofPrompt: string | undefined): string | null {
  if (ofPrompt === undefined) return configured;
  return configured === null ? ofPrompt : `${configured}\n\n${ofPrompt}`;
}

/** Reads no more than is needed to see that the file is too large. */
async function firstBytes(path: string, count: number): Promise<Buffer> {
  // Opening a pipe would block.
  if (!(await stat(path)).isFile()) throw Object.assign(new Error("not a file"), { code: "EISDIR" });
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(count), 0, count, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function errorText(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return "does not exist";
  if (code === "EISDIR") return "is not a file";
  if (code === "EACCES" || code === "EPERM") return "is not readable";
  return `cannot be read (${code})`;
}
