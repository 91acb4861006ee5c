/** A topic, the workspaces it has used and their lanes, and what it is bound to. Pure. */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { Lane } from "../../../core/lane/lane.ts";
import type { WrittenAddress } from "../../../core/message/message.ts";
import { leadRole } from "../../../core/team/team.ts";
import type { Place } from "../updates/read-update.ts";

/** A team without a member: messages go to its lead, and alerts of all its members come to the topic. */
// The order matters: zod takes the first that matches, and drops keys that it does not name.
const binding = z.union([
  z.object({ lane: z.string() }),
  z.object({ team: z.string(), member: z.string() }),
  z.object({ team: z.string() }),
]);
export type Binding = z.output<typeof binding>;

/** One workspace of a topic. The lane keeps the session, its generations and whether it is stale. */
const workspaceUse = z.object({ path: z.string(), lane: z.string(), lastUsedAt: z.number() });
export type WorkspaceUse = z.output<typeof workspaceUse>;

/** Written only by Waybill, but possibly by an older version. */
export const storedTopic = z.object({
  key: z.string(),
  chat: z.number(),
  thread: z.number().nullable(),
  isPrivate: z.boolean(),
  /** The chat's title, and the topic's name within it. */
  title: z.string().nullable(),
  name: z.string().nullable(),
  /** Null until a person chooses one. */
  activeWorkspace: z.string().nullable(),
  /** All that were used, most recent first. */
  workspaces: z.array(workspaceUse),
  /** Who receives the topic's messages instead of its own lane. */
  boundTo: binding.nullable(),
  /** When its first message arrived. */
  since: z.number(),
});
export type Topic = z.output<typeof storedTopic>;

/** Where a bound topic's messages go. */
export function addressOf(binding: Binding): WrittenAddress {
  if ("lane" in binding) return binding;
  return { team: binding.team, member: "member" in binding ? binding.member : leadRole };
}

/** Whether events of a lane concern a topic with this binding. */
export function concerns(binding: Binding, lane: Pick<Lane, "id" | "team" | "member">): boolean {
  if ("lane" in binding) return binding.lane === lane.id;
  if (binding.team !== lane.team) return false;
  return !("member" in binding) || binding.member === lane.member;
}

/** As people write it. */
export function bindingName(binding: Binding): string {
  if ("lane" in binding) return binding.lane;
  return "member" in binding ? `${binding.team}/${binding.member}` : binding.team;
}

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
