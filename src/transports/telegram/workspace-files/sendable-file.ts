/** Checks whether a workspace file may be sent to a chat. */
import { realpath, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { AppError } from "../../../platform/app-error.ts";
import { isInside } from "../../../platform/inside.ts";
import type { Workspace } from "../../../service/service.ts";

export type SendableFile = { path: string; name: string; size: number };

/** The Bot API's limit. */
const maxBytes = 50_000_000;

/** Symlinks are followed, but not out of the workspace. Throws an `AppError` that says what is wrong. */
export async function sendableFile(given: string, { directory, denied }: Workspace): Promise<SendableFile> {
  const path = resolve(directory, given);
  const [root, real] = await Promise.all([realpath(directory), realpath(path).catch(() => null)]);
  if (real === null) throw refused(`There is no file "${given}".`, "/files lists the files that the agent changed.");
  if (!isInside(real, root) || denied.some((one) => isInside(real, one))) {
    throw refused(`"${given}" is outside the workspace.`, `Only files in ${directory} can be sent.`);
  }
  const found = await stat(real);
  if (!found.isFile()) throw refused(`"${given}" is not a file.`, "Name a file inside it.");
  if (found.size === 0) throw refused(`"${given}" is empty.`, "Telegram does not accept empty files.");
  if (found.size > maxBytes)
    throw refused(`"${given}" is larger than 50 MB.`, "Telegram does not accept larger files.");
  return { path: real, name: basename(path), size: found.size };
}

function refused(message: string, hint: string): AppError {
  return new AppError({ code: "not_possible", message, hint });
}
