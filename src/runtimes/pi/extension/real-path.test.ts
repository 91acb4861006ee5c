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
  ["the parent of a link's target", `${work}/link/../token`],
  ["the same in the home directory", "~/link/../token"],
  ["a missing path after such a link", `${work}/link/../new/file`],
  ["a dangling link", "dangling"],
  ["a path below a dangling link", "dangling/file"],
])("%s resolves as in the operating system", (_what, path) => {
  expect(verdict("write", path)).toBe("deny");
});

test("a relative path is normalised before links are followed, as in pi", () => {
  expect(verdict("write", "link/../token")).toBe("pass");
});

test("code that pi runs at its start is also recognised through a link", () => {
  expect(verdict("write", "settings/extensions/a.ts")).toBe("ask");
  expect(verdict("read", "settings/extensions/a.ts")).toBe("pass");
});

test("circular links do not resolve to another path", () => {
  expect(realPath(join(work, "loop"))).toBe(join(work, "loop"));
});
