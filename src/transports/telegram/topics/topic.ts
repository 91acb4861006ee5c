/** A topic, the workspaces it has used, and the lane of each. Pure. */
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
  /** Null until somebody chooses one. */
  activeWorkspace: string | null;
  /** Every one that was used, the newest first. */
  workspaces: readonly WorkspaceUse[];
  /** Somebody else whom the topic writes to instead of its own lane. */
  boundTo: Binding | null;
  /** When its first message came. */
  since: number;
};

export function topicKey({ chat, thread }: Pick<Place, "chat" | "thread">): string {
  return `${chat}:${thread ?? "root"}`;
}

export function sessionKey(topic: string, workspace: string): string {
  return JSON.stringify([topic, workspace]);
}

/** A slug: a session key may hold anything that a path holds. */
export function laneOf(topic: string, workspace: string): string {
  const digest = createHash("sha256").update(sessionKey(topic, workspace)).digest("hex");
  return `telegram-${digest.slice(0, 20)}`;
}

export function newTopic(place: Place, now: number): Topic {
  const { chat, thread, isPrivate, title } = place;
  const empty = { name: null, activeWorkspace: null, workspaces: [], boundTo: null };
  return { key: topicKey(place), chat, thread, isPrivate, title, ...empty, since: now };
}

/** What a key says about a topic that is not known; null for what is no key. Chats of people have ids above zero. */
export function topicOfKey(key: string): Topic | null {
  const [, chat, thread] = /^(-?\d+):(\d+|root)$/.exec(key) ?? [];
  if (chat === undefined || thread === undefined) return null;
  const place = { chat: Number(chat), thread: thread === "root" ? null : Number(thread), title: null };
  return newTopic({ ...place, isPrivate: place.chat > 0 }, 0);
}

/** The lane of a workspace that was used before stays, also when the topic's key has changed meanwhile. */
export function used(topic: Topic, path: string, now: number): Topic {
  const known = topic.workspaces.find((use) => use.path === path);
  const use = { path, lane: known?.lane ?? laneOf(topic.key, path), lastUsedAt: now };
  const others = topic.workspaces.filter((other) => other.path !== path);
  return { ...topic, activeWorkspace: path, workspaces: [use, ...others] };
}

/** A group has become a supergroup: its topics go on under the new id, with their lanes. */
export function migrated(topic: Topic, chat: number): Topic {
  return { ...topic, chat, key: topicKey({ chat, thread: topic.thread }) };
}

/** What people read in lists of lanes. */
export function laneTitle({ title, name, isPrivate }: Topic, person: string, path: string): string {
  const workspace = path.split("/").at(-1) || path;
  const where = isPrivate ? person : (title ?? "group");
  return [where, ...(name === null ? [] : [name]), workspace].join(" · ").slice(0, 120);
}
