/** What the palette offers. Pure: `run` only calls the functions it was given. */
import type { Lane } from "waybill/client";
import type { Group } from "../app/groups.ts";
import type { IconName } from "../ui/icon.tsx";
import type { DotState } from "../ui/state-dot.tsx";
import type { FilterGroup } from "./palette-filter.ts";
import { filterGroups } from "./palette-filter.ts";
import { recentFirst } from "./recent-lanes.ts";
import { isDeliveryId } from "./typed-id.ts";

export type PaletteItem = {
  key: string;
  label: string;
  keywords?: string;
  hint?: string;
  keys?: string;
  sign: { icon: IconName } | { dot: DotState };
  /** The palette stays open until this is done, and shows errors. */
  run: () => unknown;
  /** It opens another dialog, which replaces the palette. */
  opensDialog?: boolean;
  /** Takes the focus once the palette is closed. */
  focusNext?: () => void;
};

/** What items do. */
export type PaletteCommands = {
  goTo(conversation: string): void;
  goToStatus(): void;
  goToStart(): void;
  search(words: string): void;
  showDelivery(id: string): void;
  openNewLane(): void;
  openShortcuts(): void;
  toggleTheme(): void;
  signOut(): Promise<unknown>;
  pause(lane: string): Promise<unknown>;
  resume(lane: string): Promise<unknown>;
  stop(lane: string): Promise<unknown>;
  focusAsk(): void;
};

export type PaletteFacts = {
  groups: readonly Group[];
  recent: readonly string[];
  /** The lane that is shown. */
  current: Lane | null;
  asks: number;
  theme: "light" | "dark";
};

export function paletteGroups(
  typed: string,
  facts: PaletteFacts,
  commands: PaletteCommands,
): FilterGroup<PaletteItem>[] {
  const text = typed.trim();
  const fixed = [
    { title: "Go to", items: laneItems(facts, commands) },
    { title: "Commands", items: commandItems(facts, commands) },
  ];
  return [
    ...filterGroups(fixed, text),
    ...(text === "" ? [] : [{ title: "Search", items: searchItems(text, commands) }]),
  ];
}

function laneItems({ groups, recent }: PaletteFacts, { goTo }: PaletteCommands): PaletteItem[] {
  const entries = groups.flatMap(({ key, title, hint, entries: own }) =>
    own.map((entry) => ({
      ...entry,
      key: `${key} ${entry.key}`,
      place: title,
      keywords: `${hint} ${entry.role ?? ""}`,
    })),
  );
  return recentFirst(entries, recent).flatMap(({ key, conversation, name, dot, place, keywords }) => {
    if (conversation === null) return [];
    const run = () => goTo(conversation);
    return [{ key, label: name, keywords: `${conversation} ${keywords}`, hint: place, sign: { dot }, run }];
  });
}

function commandItems({ current, asks, theme }: PaletteFacts, commands: PaletteCommands): PaletteItem[] {
  const item = (
    label: string,
    icon: IconName,
    run: PaletteItem["run"],
    more: Partial<PaletteItem> = {},
  ): PaletteItem => ({
    ...{ key: label, label, sign: { icon }, run },
    ...more,
  });
  const isDark = theme === "dark";
  const ask = item("Answer an ask", "hand", () => {}, {
    keys: "a",
    keywords: "permission question approve",
    focusNext: commands.focusAsk,
    ...(asks > 1 ? { hint: `${asks} wait` } : {}),
  });
  return [
    ...(asks === 0 ? [] : [ask]),
    ...(current === null ? [] : currentLaneItems(current, commands, item)),
    item("New lane", "plus", commands.openNewLane, { keys: "n", keywords: "make add create agent", opensDialog: true }),
    item("Go to status", "pulse", commands.goToStatus, { keys: "g s", keywords: "health doctor charts" }),
    item("Go to the start page", "checks", commands.goToStart, { keys: "g h", keywords: "home welcome" }),
    item(isDark ? "Use light colours" : "Use dark colours", isDark ? "sun" : "moon", commands.toggleTheme, {
      keywords: "theme dark light mode colors",
    }),
    item("Keyboard shortcuts", "dots", commands.openShortcuts, { keys: "?", keywords: "help keys", opensDialog: true }),
    item("Sign out", "close", commands.signOut, { keywords: "log out logout session" }),
  ];
}

type MakeItem = (label: string, icon: IconName, run: PaletteItem["run"], more?: Partial<PaletteItem>) => PaletteItem;

function currentLaneItems(lane: Lane, { pause, resume, stop }: PaletteCommands, item: MakeItem): PaletteItem[] {
  const { id, displayName, pausedReason, holder } = lane;
  const name = displayName ?? id;
  return [
    ...(holder === null
      ? []
      : [item(`Stop the turn of ${name}`, "stop", () => stop(id), { keywords: "abort interrupt cancel" })]),
    pausedReason === null
      ? item(`Pause ${name}`, "pause", () => pause(id), { keywords: "hold lane" })
      : item(`Resume ${name}`, "play", () => resume(id), { keywords: "continue lane" }),
  ];
}

function searchItems(text: string, { search, showDelivery }: PaletteCommands): PaletteItem[] {
  const words: PaletteItem = {
    key: "search",
    label: `Search messages for "${text}"`,
    sign: { icon: "search" },
    run: () => search(text),
  };
  if (!isDeliveryId(text)) return [words];
  return [
    {
      key: "delivery",
      label: `Show delivery ${text.slice(0, 12)}`,
      sign: { icon: "file" },
      run: () => showDelivery(text),
    },
    words,
  ];
}
