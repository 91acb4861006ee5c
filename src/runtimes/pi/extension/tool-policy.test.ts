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

describe("without a person, under the policy safe", () => {
  test.each([
    ["reading in the directory", "read", { path: "a.txt" }, "pass"],
    ["searching it", "grep", { pattern: "x" }, "pass"],
    ["editing in it", "edit", { path: "/project/a.txt" }, "pass"],
    ["writing in it", "write", { path: "new/a.txt" }, "pass"],
    ["reading outside", "read", { path: "/etc/passwd" }, "ask"],
    ["reading above", "read", { path: "../a.txt" }, "ask"],
    ["reading at home", "read", { path: "~/a.txt" }, "ask"],
    ["reading what is marked as a file", "read", { path: "@a.txt" }, "pass"],
    ["a directory whose name begins alike", "read", { path: "/projectshop/a.txt" }, "ask"],
    ["writing through a link that leads out", "write", { path: "link/a.txt" }, "ask"],
    ["writing what pi runs when it starts", "write", { path: ".pi/extensions/a.ts" }, "ask"],
    ["writing it under a name that some disks take for the same", "write", { path: ".PI/extensions/a.ts" }, "ask"],
    ["a name that only begins like it", "write", { path: ".pip/a.ts" }, "pass"],
    ["spaces that pi takes for plain ones", "read", { path: "a\u00a0link/a.txt" }, "ask"],
    ["the shell", "bash", { command: "true" }, "ask"],
    ["a tool that nobody knows", "deploy", {}, "ask"],
  ])("%s: %s %o is to %s", (_what, tool, input, wanted) => {
    expect(verdict(tool, input)).toBe(wanted);
  });
});

test("who is trusted is asked for what lies outside, and for nothing else", () => {
  expect(verdict("bash", { command: "true" }, trusted)).toBe("pass");
  expect(verdict("deploy", {}, trusted)).toBe("pass");
  expect(verdict("write", { path: ".pi/a.ts" }, trusted)).toBe("pass");
  expect(verdict("write", { path: "/etc/hosts" }, trusted)).toBe("ask");
});

describe("what is denied", () => {
  test.each([
    ["reading it", "read", { path: "/state/token" }],
    ["writing it", "write", { path: "/other/a.txt" }],
    ["reading it through a link", "read", { path: "hidden/token" }],
    ["searching above it", "grep", { pattern: "x", path: "/" }],
    ["a command that names it", "bash", { command: "cat /state/token" }],
    ["a tool that names it", "deploy", { from: "/state" }],
  ])("%s is refused, also for who is trusted or was allowed it", (_what, tool, input) => {
    const granted = new Set([grantOf({ tool, input })]);
    expect(verdict(tool, input)).toBe("deny");
    expect(verdict(tool, input, { ...trusted, granted })).toBe("deny");
  });
});

test("what was allowed for the session is the same command or file, and no other", () => {
  const on = { ...ground, granted: new Set([grantOf({ tool: "bash", input: { command: "make" } })]) };
  expect(verdict("bash", { command: "make", timeout: 5 }, on)).toBe("pass");
  expect(verdict("bash", { command: "make; rm -r ." }, on)).toBe("ask");
  expect(verdict("read", { path: "make" }, on)).toBe("pass");
  expect(verdict("read", { path: "/etc/make" }, on)).toBe("ask");
});
