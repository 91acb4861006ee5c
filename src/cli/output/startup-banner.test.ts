import { expect, test } from "vitest";
import { demoLanes } from "../../daemon/demo/demo-profile.ts";
import { startupBanner } from "./startup-banner.ts";

const lines = (config: Parameters<typeof startupBanner>[0], opencodeApiUrl: string | null = null) =>
  startupBanner(config, { url: "http://127.0.0.1:7300", opencodeApiUrl }, (_, text) => text).join("\n");

test("the demo says that its answers are scripted, and how a real model is connected", () => {
  const said = lines({ profile: { kind: "demo" }, lanes: demoLanes("/nowhere") });
  expect(said).toMatch(/answers are scripted.*\n +npx waybill init\n +npx waybill up\n/);
  expect(said).toMatch(/send --lane demo --wait/);
});

test("a configured Waybill says nothing of the demo, and how to make a first lane where there is none", () => {
  const profile = { kind: "file", path: "/config.json" } as const;
  expect(lines({ profile, lanes: demoLanes("/nowhere") })).not.toMatch(/demo\.|scripted/);
  expect(lines({ profile, lanes: [] })).toMatch(/no lanes yet.*lanes add/);
});

test("where OpenCode's clients connect is said where they have a port of their own", () => {
  const config = { profile: { kind: "demo" }, lanes: demoLanes("/nowhere") } as const;
  expect(lines(config, "http://127.0.0.1:7301")).toMatch(/OpenCode's clients connect to http:\/\/127\.0\.0\.1:7301\n/);
  expect(lines(config)).not.toContain("OpenCode's clients");
});
