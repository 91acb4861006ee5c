import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import type { Lane } from "../../core/lane/lane.ts";
import { gateRules, piArguments } from "./arguments.ts";

const lane = (model: string | null) => ({ id: "lane", directory: "/project", model }) as Lane;
const argumentsOf = (model: string | null, systemPrompt: string | null = null) =>
  piArguments({ lane: lane(model), sessionFile: "/s.jsonl", provider: "p", model: "usual", systemPrompt });

test("a lane's own model takes precedence over the configured one", () => {
  expect(argumentsOf(null).join(" ")).toContain("--provider p --model usual");
  expect(argumentsOf("big").join(" ")).toContain("--provider p --model big");
});

test("Waybill's extension exists, and the system prompt is passed", () => {
  const args = argumentsOf(null, "Be brief.");
  expect(existsSync(args[args.indexOf("--extension") + 1] ?? "")).toBe(true);
  expect(args.slice(-2)).toEqual(["--append-system-prompt", "Be brief."]);
});

test("the state directory and other lanes' directories are denied, unless one contains the other", () => {
  const permissions = {
    policy: "trusted" as const,
    stateDirectories: ["/state", "/state"],
    otherDirectories: ["/other", "/project/part", "/"],
  };
  expect(gateRules("/project", { permissions, toolsPath: null }, 3)).toEqual({
    policy: "trusted",
    denied: ["/state", "/other"],
    maxSteps: 3,
  });
});
