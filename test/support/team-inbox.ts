/** An inbox file of a Claude Code team, as a third process writes to it: under Claude Code's own lock. */
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

export type InboxRow = {
  from: string;
  text: string;
  timestamp: string;
  read?: boolean;
  summary?: string;
  color?: string;
  msgV?: number;
  msg_id?: string;
  type?: string;
};

/** A row as Waybill writes it. `more` replaces fields, and removes those that it has as undefined. */
export function inboxRow(text: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  const row = { from: "waybill", text, summary: "news", timestamp: new Date().toISOString() };
  return { ...row, msgV: 1, msg_id: randomUUID(), type: "message", read: false, ...more };
}

/** Null where there is no file. Claude Code creates an inbox empty, and fills it after that. */
export function readInbox(path: string): InboxRow[] | null {
  try {
    return JSON.parse(readFileSync(path, "utf8") || "[]");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

export async function addRows(path: string, rows: readonly unknown[]): Promise<void> {
  await withLock(path, () => replaceFile(path, JSON.stringify([...(readInbox(path) ?? []), ...rows], null, 2)));
}

export function replaceFile(path: string, text: string): void {
  const beside = `${path}.tmp.${randomUUID().slice(0, 8)}`;
  writeFileSync(beside, text);
  renameSync(beside, path);
}

/** The lock is a directory beside the file, as `proper-lockfile` makes it. */
export async function withLock<T>(path: string, act: () => T | Promise<T>): Promise<T> {
  mkdirSync(dirname(path), { recursive: true });
  const lock = `${path}.lock`;
  while (!makeDirectory(lock)) await wait(5);
  try {
    return await act();
  } finally {
    rmdirSync(lock);
  }
}

function makeDirectory(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}
