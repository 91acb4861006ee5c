import { expect, test } from "vitest";
import type { SessionRow } from "./workspace-commands.ts";
import { sessionsText, switchButtons } from "./workspace-commands.ts";

const row = (path: string, isStale = false): SessionRow => ({
  ...{ path, lane: `telegram-${path.length}`, lastUsedAt: 1000, state: null, isStale },
});

test("sessions are listed, with those in use and those that are stale", () => {
  const text = sessionsText([row("/a/b"), row("/gone", true)], "/a/b", 61_000);
  expect(text).toContain("1. `/a/b` (active, in use)");
  expect(text).toContain("2. `/gone` (stale: its directory or lane no longer exists)");
  expect(text).toContain("last used 1 min 0 s ago");
});

test("a topic without a message has no sessions", () => {
  expect(sessionsText([], "/a", 0)).toContain("No conversation yet. The first message starts one in `/a`.");
});

test("buttons switch to workspaces that are neither in use nor stale", () => {
  expect(switchButtons([row("/a/b"), row("/gone", true), row("/x/y/z")], "/a/b")).toEqual([
    [{ text: "y/z", data: "use:telegram-6" }],
  ]);
});
