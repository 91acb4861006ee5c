import { expect, test } from "vitest";
import type { Runtime } from "waybill/client";
import { chosenRuntime, runtimeProblem } from "./runtimes.ts";

const runtime = (kind: string, isDefault = false) => ({ kind, isDefault }) as Runtime;
const runtimes = [runtime("claude"), runtime("opencode", true)];

test("the default applies until another one is chosen", () => {
  expect(chosenRuntime(runtimes, null)?.kind).toBe("opencode");
  expect(chosenRuntime(runtimes, "claude")?.kind).toBe("claude");
});

test("without a default the first one applies, if there is one", () => {
  expect(chosenRuntime([runtime("pi")], null)?.kind).toBe("pi");
  expect(chosenRuntime([], null)).toBeUndefined();
});

test("a runtime that cannot work says why", () => {
  expect(runtimeProblem({ ready: true, reason: null })).toBeNull();
  expect(runtimeProblem({ ready: true, reason: "Not found." })).toBe("Not found.");
  expect(runtimeProblem({ ready: false, reason: null })).toMatch(/Not set up/);
});
