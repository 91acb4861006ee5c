import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { realPath } from "./real-path.ts";
import { checkToolCall } from "./tool-policy.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "real-path-")));
const [work, state] = [join(root, "work"), join(root, "state")];
mkdirSync(work);
mkdirSync(join(state, "sub"), { recursive: true });
writeFileSync(join(state, "token"), "secret");
symlinkSync(join(state, "sub"), join(work, "link"));
symlinkSync("../state/new", join(work, "dangling"));
symlinkSync("loop", join(work, "loop"));
mkdirSync(join(work, "settings"));
symlinkSync("settings", join(work, ".pi"));
afterAll(() => rmSync(root, { recursive: true }));

const ground = { directory: work, home: work, realPath, granted: new Set<string>() };
const rules = { policy: "safe" as const, denied: [state], maxSteps: 5 };
const verdict = (tool: string, path: string) => checkToolCall({ tool, input: { path } }, { ...ground, rules }).verdict;

test.each([
  ["above a link that is followed first", `${work}/link/../token`],
  ["the same at home", "~/link/../token"],
  ["what is not there, above such a link", `${work}/link/../new/file`],
  ["a link to what is not there", "dangling"],
  ["below it", "dangling/file"],
])("%s is where the system would find it", (_what, path) => {
  expect(verdict("write", path)).toBe("deny");
});

test("a relative path is cleaned before links are followed, as pi does it", () => {
  expect(verdict("write", "link/../token")).toBe("pass");
});

test("what pi runs when it starts is known where a link leads to it, too", () => {
  expect(verdict("write", "settings/extensions/a.ts")).toBe("ask");
  expect(verdict("read", "settings/extensions/a.ts")).toBe("pass");
});

test("links in a circle lead nowhere else", () => {
  expect(realPath(join(work, "loop"))).toBe(join(work, "loop"));
});
