import { describe, expect, it } from "vitest";
import type { Lane } from "waybill/client";
import type { Entry, Group } from "../app/groups.ts";
import type { PaletteCommands, PaletteFacts } from "./palette-items.ts";
import { paletteGroups } from "./palette-items.ts";

const entry = (name: string, lane: string | null = name): Entry => ({
  ...{ key: name, name, lane, conversation: lane, dot: "idle", doing: null, since: null, waiting: 0, unread: 0 },
  role: null,
});

const groups: Group[] = [
  { key: "team shop", title: "Shop", hint: "team shop", entries: [entry("ann"), entry("outsider", null)] },
  { key: "/srv/web", title: "web", hint: "/srv/web", entries: [entry("demo"), entry("sleepy")] },
];

const facts = (more: Partial<PaletteFacts> = {}): PaletteFacts => ({
  ...{ groups, recent: [], current: null, asks: 0, theme: "light" },
  ...more,
});

function recorded(): { calls: string[]; commands: PaletteCommands } {
  const calls: string[] = [];
  const commands = new Proxy({} as PaletteCommands, {
    get:
      (_, name: string) =>
      (...given: unknown[]) =>
        calls.push([name, ...given].join(" ")),
  });
  return { calls, commands };
}

const { commands } = recorded();
const offered = (typed: string, more: Partial<PaletteFacts> = {}) =>
  paletteGroups(typed, facts(more), commands).map(({ title, items }) => [title, ...items.map(({ label }) => label)]);
const lane = (fields: Partial<Lane> = {}) =>
  ({ id: "demo", displayName: null, pausedReason: null, holder: null, ...fields }) as Lane;

describe("the palette", () => {
  it("offers lanes first when nothing is typed, recently viewed ones before the others", () => {
    expect(offered("", { recent: ["sleepy"] })[0]).toEqual(["Go to", "sleepy", "ann", "demo"]);
  });

  it("leaves out members without a conversation", () => {
    expect(offered("outsider").flat()).not.toContain("outsider");
  });

  it("finds a member by the name of its team", () => {
    expect(offered("shop")[0]).toEqual(["Go to", "ann"]);
  });

  it("always ends with a search for the typed text", () => {
    expect(offered("zzz")).toEqual([["Search", 'Search messages for "zzz"']]);
    expect(offered(" demo ").at(-1)).toEqual(["Search", 'Search messages for "demo"']);
  });

  it("shows a delivery whose id was pasted", () => {
    expect(offered("a1".repeat(32)).at(-1)?.[1]).toBe("Show delivery a1a1a1a1a1a1");
  });

  it("pauses or resumes the current lane, and stops its turn while one runs", () => {
    expect(offered("demo", { current: lane() }).flat()).toContain("Pause demo");
    const busy = offered("demo", { current: lane({ pausedReason: "limit", holder: {} as Lane["holder"] }) }).flat();
    expect(busy).toContain("Resume demo");
    expect(busy).toContain("Stop the turn of demo");
    expect(busy).not.toContain("Pause demo");
    expect(offered("pause").flat()).not.toContain("Pause demo");
  });

  it("offers asks only while some are open", () => {
    expect(offered("answer").flat()).not.toContain("Answer an ask");
    expect(offered("answer", { asks: 1 })[0]).toEqual(["Commands", "Answer an ask"]);
  });

  it("offers the other colour theme", () => {
    expect(offered("colours")[0]?.[1]).toBe("Use dark colours");
    expect(offered("colours", { theme: "dark" })[0]?.[1]).toBe("Use light colours");
  });

  it("does what it says", async () => {
    const { calls, commands: own } = recorded();
    const items = paletteGroups("demo", facts({ current: lane() }), own).flatMap((group) => group.items);
    for (const item of items) await item.run();
    expect(calls).toEqual(["goTo demo", "pause demo", "search demo"]);
  });
});
