import { expect, test } from "vitest";
import { demoLanes } from "../../daemon/demo/demo-profile.ts";
import { startupBanner } from "./startup-banner.ts";

const url = "http://127.0.0.1:7300";
const lines = (config: Parameters<typeof startupBanner>[0], opencodeApiUrl: string | null = null) =>
  startupBanner(config, { url, loginUrl: `${url}/login?code=abc`, opencodeApiUrl }, (_, text) => text).join("\n");

test("the demo says that its answers are scripted, and how to connect a real model", () => {
  const said = lines({ profile: { kind: "demo" }, lanes: demoLanes("/nowhere") });
  expect(said).toMatch(/answers are scripted.*\n +npx waybill init\n +npx waybill up\n/);
  expect(said).toMatch(/send --lane demo --wait/);
});

test("a configured Waybill does not mention the demo, and says how to add a lane if there is none", () => {
  const profile = { kind: "file", path: "/config.json" } as const;
  expect(lines({ profile, lanes: demoLanes("/nowhere") })).not.toMatch(/demo\.|scripted/);
  expect(lines({ profile, lanes: [] })).toMatch(/no lanes yet.*lanes add/);
});

test("shows the address for OpenCode's clients if they have a port of their own", () => {
  const config = { profile: { kind: "demo" }, lanes: demoLanes("/nowhere") } as const;
  expect(lines(config, "http://127.0.0.1:7301")).toMatch(/OpenCode's clients connect to http:\/\/127\.0\.0\.1:7301\n/);
  expect(lines(config)).not.toContain("OpenCode's clients");
});

test("shows the sign-in link at the end of its line, and how to get another one", () => {
  const said = lines({ profile: { kind: "demo" }, lanes: demoLanes("/nowhere") });
  expect(said).toMatch(/^ {2}Open the page: http:\/\/127\.0\.0\.1:7300\/login\?code=abc$/m);
  expect(said).toMatch(/works once, for 10 minutes; `npx waybill open` makes a new one/);
});
