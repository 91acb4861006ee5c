/** A topic, the workspaces it has used, and their lanes. Pure. */
import { createHash } from "node:crypto";
import type { Place } from "../updates/read-update.ts";
import type { Binding } from "./binding.ts";

/** One workspace of a topic. The lane keeps the session, its generations and whether it is stale. */
export type WorkspaceUse = { path: string; lane: string; lastUsedAt: number };

export type Topic = {
  key: string;
  chat: number;
  thread: number | null;
  isPrivate: boolean;
  /** The chat's title, and the topic's name within it. */
  title: string | null;
  name: string | null;
  /** Null until a person chooses one. */
  activeWorkspace: string | null;
  /** All that were used, most recent first. */
  workspaces: readonly WorkspaceUse[];
  /** Who receives the topic's messages instead of its own lane. */
  boundTo: Binding | null;
  /** When its first message arrived. */
  since: number;
};

export function topicKey({ chat, thread }: Pick<Place, "chat" | "thread">): string {
  return `${chat}:${thread ?? "root"}`;
}

export function sessionKey(topic: string, workspace: string): string {
  return JSON.stringify([topic, workspace]);
}

/** Hashed, because a session key may contain any character of a path. */
export function laneOf(topic: string, workspace: string): string {
  const digest = createHash("sha256").update(sessionKey(topic, workspace)).digest("hex");
  return `telegram-${digest.slice(0, 20)}`;
}

export function newTopic(place: Place, now: number): Topic {
  const { chat, thread, isPrivate, title } = place;
  const empty = { name: null, activeWorkspace: null, workspaces: [], boundTo: null };
  return { key: topicKey(place), chat, thread, isPrivate, title, ...empty, since: now };
}

/** An unknown topic, reconstructed from its key; null if the key is invalid. Private chats have positive ids. */
export function topicOfKey(key: string): Topic | null {
  const [, chat, thread] = /^(-?\d+):(\d+|root)$/.exec(key) ?? [];
  if (chat === undefined || thread === undefined) return null;
  const place = { chat: Number(chat), thread: thread === "root" ? null : Number(thread), title: null };
  return newTopic({ ...place, isPrivate: place.chat > 0 }, 0);
}

/** A workspace keeps its lane, even if the topic's key has changed since. */
export function used(topic: Topic, path: string, now: number): Topic {
  const known = topic.workspaces.find((use) => use.path === path);
  const use = { path, lane: known?.lane ?? laneOf(topic.key, path), lastUsedAt: now };
  const others = topic.workspaces.filter((other) => other.path !== path);
  return { ...topic, activeWorkspace: path, workspaces: [use, ...others] };
}

/** When a group becomes a supergroup, its topics keep their lanes under the new id. */
export function migrated(topic: Topic, chat: number): Topic {
  return { ...topic, chat, key: topicKey({ chat, thread: topic.thread }) };
}

/** The display name in lists of lanes. */
export function laneTitle({ title, name, isPrivate }: Topic, person: string, path: string): string {
  const workspace = path.split("/").at(-1) || path;
  const where = isPrivate ? person : (title ?? "group");
  return [where, ...(name === null ? [] : [name]), workspace].join(" · ").slice(0, 120);
}
