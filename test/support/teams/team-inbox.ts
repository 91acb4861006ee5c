/** An inbox file of a Claude Code team that a third process writes to, under Claude Code's own lock. */
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

/** A row as Waybill writes it. `more` replaces fields, and removes those that are undefined in it. */
export function inboxRow(text: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  const row = { from: "waybill", text, summary: "news", timestamp: new Date().toISOString() };
  return { ...row, msgV: 1, msg_id: randomUUID(), type: "message", read: false, ...more };
}

/** Null if there is no file. Claude Code creates an empty inbox first, and fills it later. */
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

/** The lock is a directory next to the file, as `proper-lockfile` creates it. */
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
