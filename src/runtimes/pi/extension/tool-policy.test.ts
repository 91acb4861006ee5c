import { describe, expect, test } from "vitest";
import type { PolicyContext } from "./tool-policy.ts";
import { checkToolCall, grantOf } from "./tool-policy.ts";

const ground: PolicyContext = {
  rules: { policy: "safe", denied: ["/state", "/other"], maxSteps: 5 },
  directory: "/project",
  home: "/home/me",
  realPath: (path) => path.replace(/^\/project\/(a )?link/, "/elsewhere").replace(/^\/project\/hidden/, "/state"),
  granted: new Set(),
};
const trusted: PolicyContext = { ...ground, rules: { ...ground.rules, policy: "trusted" } };

const verdict = (tool: string, input: Record<string, unknown>, on: PolicyContext = ground) =>
  checkToolCall({ tool, input }, on).verdict;

describe("without a grant, under the policy safe", () => {
  test.each([
    ["reading in the directory", "read", { path: "a.txt" }, "pass"],
    ["searching the directory", "grep", { pattern: "x" }, "pass"],
    ["editing in the directory", "edit", { path: "/project/a.txt" }, "pass"],
    ["writing in the directory", "write", { path: "new/a.txt" }, "pass"],
    ["reading outside", "read", { path: "/etc/passwd" }, "ask"],
    ["reading above", "read", { path: "../a.txt" }, "ask"],
    ["reading in the home directory", "read", { path: "~/a.txt" }, "ask"],
    ["reading a path with a file marker", "read", { path: "@a.txt" }, "pass"],
    ["a directory with the same prefix", "read", { path: "/projectshop/a.txt" }, "ask"],
    ["writing through a link to the outside", "write", { path: "link/a.txt" }, "ask"],
    ["writing code that pi runs at its start", "write", { path: ".pi/extensions/a.ts" }, "ask"],
    ["writing such code under a name that differs only in case", "write", { path: ".PI/extensions/a.ts" }, "ask"],
    ["a name that only has the same prefix", "write", { path: ".pip/a.ts" }, "pass"],
    ["unusual spaces that pi treats as plain ones", "read", { path: "a\u00a0link/a.txt" }, "ask"],
    ["the shell", "bash", { command: "true" }, "ask"],
    ["an unknown tool", "deploy", {}, "ask"],
  ])("%s: %s %o gives %s", (_what, tool, input, wanted) => {
    expect(verdict(tool, input)).toBe(wanted);
  });
});

test("the policy trusted asks only for paths outside the directory", () => {
  expect(verdict("bash", { command: "true" }, trusted)).toBe("pass");
  expect(verdict("deploy", {}, trusted)).toBe("pass");
  expect(verdict("write", { path: ".pi/a.ts" }, trusted)).toBe("pass");
  expect(verdict("write", { path: "/etc/hosts" }, trusted)).toBe("ask");
});

describe("a denied directory", () => {
  test.each([
    ["reading", "read", { path: "/state/token" }],
    ["writing", "write", { path: "/other/a.txt" }],
    ["reading through a link", "read", { path: "hidden/token" }],
    ["searching above", "grep", { pattern: "x", path: "/" }],
    ["naming it in a command", "bash", { command: "cat /state/token" }],
    ["naming it in a tool's input", "deploy", { from: "/state" }],
  ])("is protected: %s is refused, even for a trusted agent or with a grant", (_what, tool, input) => {
    const granted = new Set([grantOf({ tool, input })]);
    expect(verdict(tool, input)).toBe("deny");
    expect(verdict(tool, input, { ...trusted, granted })).toBe("deny");
  });
});

test("a grant for the session covers the same command or file, and no other", () => {
  const on = { ...ground, granted: new Set([grantOf({ tool: "bash", input: { command: "make" } })]) };
  expect(verdict("bash", { command: "make", timeout: 5 }, on)).toBe("pass");
  expect(verdict("bash", { command: "make; rm -r ." }, on)).toBe("ask");
  expect(verdict("read", { path: "make" }, on)).toBe("pass");
  expect(verdict("read", { path: "/etc/make" }, on)).toBe("ask");
});
