/** Reads and lists the files of a workspace. */
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { extname, join, relative, resolve } from "node:path";
import type { FileContent, FileNode } from "@opencode-ai/sdk/v2/types";
import { AppError } from "../../../platform/app-error.ts";
import type { Workspace } from "../../../service/service.ts";
import { git, isShown } from "../../../service/workspace/workspace.ts";

const maxBytes = 5 * 1024 * 1024;

/** As in OpenCode, text is trimmed; anything else is base64-encoded. */
export async function readContent(workspace: Workspace, path: string): Promise<FileContent> {
  const real = await pathInside(workspace, path);
  const found = await stat(real);
  if (!found.isFile()) throw missing(path);
  if (found.size > maxBytes) {
    throw new AppError({
      code: "too_large",
      message: `"${path}" is larger than ${maxBytes} bytes.`,
      hint: "Open it directly on the machine.",
    });
  }
  const bytes = await readFile(real).catch((cause) => {
    throw unreadable(path, cause);
  });
  const text = decodeText(bytes);
  if (text !== null) return { type: "text", content: text.trim() };
  const mimeType = mimeTypes[extname(real).toLowerCase()] ?? "application/octet-stream";
  return { type: "binary", content: bytes.toString("base64"), encoding: "base64", mimeType };
}

/** Null for binary content. */
export function decodeText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Directories first. Leaves out special files and links out of the workspace. */
export async function listDirectory(workspace: Workspace, path: string): Promise<FileNode[]> {
  const real = await pathInside(workspace, path);
  const names = await readdir(real).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === "EACCES" ? unreadable(path, cause) : missing(path, cause);
  });
  const nodes = (await Promise.all(names.map((name) => nodeOf(workspace, join(real, name), name)))).flat();
  const ignored = await ignoredOf(workspace, nodes);
  return nodes
    .map((node) => ({ ...node, ignored: ignored.has(node.path.replace(/\/$/, "")) }))
    .sort((a, b) => a.type.localeCompare(b.type) || a.name.localeCompare(b.name));
}

async function nodeOf(workspace: Workspace, absolute: string, name: string): Promise<FileNode[]> {
  try {
    if (!isShown(workspace, await realpath(absolute))) return [];
    const found = await stat(absolute);
    if (!found.isFile() && !found.isDirectory()) return [];
    const path = shownPath(workspace, absolute, found.isDirectory());
    return [{ name, path, absolute, type: found.isDirectory() ? "directory" : "file", ignored: false }];
  } catch {
    // A dangling link, or deleted since.
    return [];
  }
}

async function ignoredOf({ directory }: Workspace, nodes: readonly FileNode[]): Promise<Set<string>> {
  // Git rejects a link with a trailing slash.
  const names = nodes.map(({ path }) => path.replace(/\/$/, ""));
  if (names.length === 0) return new Set();
  const found = await git(directory, ["check-ignore", "--stdin", "-z"], { input: names.join("\0") });
  return new Set(found?.split("\0"));
}

const mimeTypes: Partial<Record<string, string>> = {
  ".avif": "image/avif",
  ".gif": "image/gif",
  ".ico": "image/x-icon",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".webp": "image/webp",
  ".zip": "application/zip",
};

function unreadable(path: string, cause: unknown): AppError {
  return new AppError({
    code: "path_not_allowed",
    message: `The daemon cannot read "${path}".`,
    hint: "Give the user that runs Waybill read access, or open the file directly on the machine.",
    cause,
  });
}

/** With symlinks resolved. Throws unless it is inside the workspace and outside Waybill's own state. */
async function pathInside(workspace: Workspace, path: string): Promise<string> {
  const asked = resolve(workspace.directory, path);
  // Checked before anything is read: clients must not learn what exists elsewhere.
  if (path.includes("\0") || !isShown(workspace, asked)) throw notAllowed(path);
  const real = await realpath(asked).catch((cause) => {
    throw missing(path, cause);
  });
  if (!isShown(workspace, real)) throw notAllowed(path);
  return real;
}

/** The real path of a name; null when it does not exist or is not shown. */
export async function shownAt(workspace: Workspace, name: string): Promise<string | null> {
  const real = await realpath(resolve(workspace.directory, name)).catch(() => null);
  return real !== null && isShown(workspace, real) ? real : null;
}

/** The path in the clients' format: relative to the directory, and with a trailing slash for directories. */
function shownPath({ directory }: Workspace, path: string, isDirectory: boolean): string {
  return relative(directory, path) + (isDirectory ? "/" : "");
}

export function missing(path: string, cause?: unknown): AppError {
  return new AppError({
    code: "not_found",
    message: `"${path}" does not exist in this directory.`,
    hint: "GET /file lists the files.",
    cause,
  });
}

export function notAllowed(path: string): AppError {
  return new AppError({
    code: "path_not_allowed",
    message: `Access to "${path}" is not allowed.`,
    hint: "Name a file inside the directory of the request; links out of it are not followed.",
  });
}
