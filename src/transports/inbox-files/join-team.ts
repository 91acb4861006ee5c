/**
 * Makes Waybill known to the agents of a Claude Code session, so that they can answer it. It becomes a member in the
 * session's own configuration, which is changed under the lock that Claude Code also takes.
 */
import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { isRow } from "../../core/inbox/row.ts";
import { fileSender } from "../../core/inbox/team-config.ts";
import { AppError, messageOf } from "../../platform/app-error.ts";
import { takeLock } from "./file/lock-directory.ts";
import { presentState } from "./file/read-bytes.ts";
import { removeReplacement, writeBeside } from "./file/replacement.ts";

const lockSettings = { waitMs: 2000, staleMs: 10_000 };
/** The program writes the file in place, so a read may find it half written. */
const maxTries = 20;

export async function joinTeam(directory: string): Promise<void> {
  const path = join(directory, "config.json");
  const lock = await takeLock(path, lockSettings);
  if ("outcome" in lock) throw cannotJoin(path, lock.error);
  try {
    for (let tries = 1; !(await tryToJoin(path)); tries++) {
      if (tries === maxTries) throw cannotJoin(path, "it keeps changing, or is damaged");
    }
  } catch (error) {
    throw error instanceof AppError ? error : cannotJoin(path, messageOf(error));
  } finally {
    await lock.release();
  }
}

/** False if another program wrote in between. */
async function tryToJoin(path: string): Promise<boolean> {
  const before = readFileSync(path, "utf8");
  const next = withWaybill(before);
  if (next === null) return true;
  if (next === undefined) return false;
  const temporary = await writeBeside(path, Buffer.from(next), presentState(path));
  if (readFileSync(path, "utf8") !== before) {
    removeReplacement(temporary);
    return false;
  }
  renameSync(temporary, path);
  return true;
}

/** Null if Waybill is already a member; undefined if the text is not a configuration. */
export function withWaybill(text: string): string | null | undefined {
  const config = objectIn(text);
  if (!config || !Array.isArray(config.members)) return undefined;
  if (config.members.some((member) => isRow(member) && member.name === fileSender)) return null;
  const team = String(config.leadAgentId ?? "").split("@")[1] ?? config.name;
  const members = [...config.members, { agentId: `${fileSender}@${team}`, name: fileSender }];
  return JSON.stringify({ ...config, members }, null, 2);
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRow(value) ? value : null;
  } catch {
    return null;
  }
}

function cannotJoin(path: string, why: string): AppError {
  return new AppError({
    code: "inbox_unwritable",
    message: `Waybill could not add itself to ${path}: ${why}`,
    hint: "The rest of the import succeeded. Try again in a moment.",
    retryable: true,
  });
}
