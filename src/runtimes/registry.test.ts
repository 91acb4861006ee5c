import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { thrownBy } from "../../test/support/daemon/config-directory.ts";
import type { AppError } from "../platform/app-error.ts";
import { systemClock } from "../platform/clock.ts";
import type { RuntimeContext, RuntimeDescriptor } from "./descriptor.ts";
import { checkDescriptors, descriptorOf, withDefaultModel } from "./descriptor.ts";
import { runtimeDescriptors, runtimeKinds } from "./registry.ts";

const [first] = runtimeDescriptors;
const refusal = (...descriptors: Partial<RuntimeDescriptor>[]) =>
  thrownBy(() => checkDescriptors(descriptors as RuntimeDescriptor[])) as AppError;

test("the registry is valid, and each descriptor is found by its kind", () => {
  checkDescriptors(runtimeDescriptors);
  expect(runtimeKinds.map((kind) => descriptorOf(kind, runtimeDescriptors))).toEqual(runtimeDescriptors);
});

test.each(runtimeDescriptors)("$kind has the methods that its descriptor names", async (descriptor) => {
  const directory = mkdtempSync(join(tmpdir(), "waybill-registry-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const settings = z.object(descriptor.settings).parse({});
  const runtime = await descriptor.prepare(settings, aRuntimeContext(directory)).load();
  onTestFinished(() => runtime.close());
  const optional = ["models", "checkChoice", "sessionsIn", "checkAdoption", "fork"] as const;
  expect(optional.filter((method) => runtime[method] !== undefined)).toEqual(descriptor.offers);
  expect(runtime).toMatchObject({ kind: descriptor.kind, traits: descriptor.traits, idsFrom: descriptor.idsFrom });
});

test("an error in a runtime's settings is reported before a lane uses the runtime", () => {
  const context = { ...aRuntimeContext("/nowhere"), env: { OPENCODE_CONFIG_CONTENT: "no JSON" } };
  const prepare = () => descriptorOf("opencode", runtimeDescriptors).prepare({}, context);
  expect(thrownBy(prepare)).toMatchObject({ code: "config_invalid" });
});

function aRuntimeContext(stateDirectory: string): RuntimeContext<Record<string, unknown>> {
  return {
    env: {},
    extraEnv: {},
    stateDirectory,
    clock: systemClock,
    log: { info: () => {}, warn: () => {} },
    onError: () => {},
    isUsed: false,
    laneSettings: {},
    systemPromptPath: undefined,
    permissionPolicy: "safe",
    permissions: async () => ({ policy: "safe", stateDirectories: [], otherDirectories: [] }),
    idleMs: 1000,
    maxResting: 1,
    postMessage: async () => {},
    toolServer: async () => null,
  };
}

describe("a registry is refused", () => {
  test.each(["name", "provider", "traits", "settings", "laneSettings", "laneProblem", "prepare", "doctor"] as const)(
    "if a descriptor has no %s",
    (part) => {
      const { [part]: _, ...rest } = first;
      expect(refusal(rest)).toMatchObject({
        code: "runtime_invalid",
        message: `The runtime "${first.kind}" has no ${part} in the registry of runtimes.`,
        hint: expect.stringContaining("descriptor.ts"),
      });
    },
  );

  test("if a descriptor has no kind", () => {
    const { kind: _, ...rest } = first;
    expect(refusal({ ...first }, rest).message).toMatch(/^The runtime number 2 has no kind/);
  });

  test("if two descriptors share a kind, a provider or a setting", () => {
    expect(refusal(first, { ...first }).message).toMatch(/both have the kind/);
    expect(refusal(first, { ...first, kind: "other" }).message).toMatch(/both have the provider/);
    expect(refusal(first, { ...first, kind: "other", provider: "other" }).message).toMatch(/both have the setting/);
  });
});

test("the error for an unknown kind names the nearest kind, or all of them", () => {
  const hint = (kind: string) => (thrownBy(() => descriptorOf(kind, runtimeDescriptors)) as AppError).hint;
  expect(hint("OpenCod")).toBe('Did you mean "opencode"?');
  expect(hint("abacus")).toBe(`Known runtimes: ${runtimeKinds.join(", ")}.`);
});

test("lanes that name no model get the configured one if they may have it", () => {
  const choose = (kind: string, choice: { agent: string | null; model: string | null }) =>
    withDefaultModel(descriptorOf(kind, runtimeDescriptors), choice, "usual");
  expect(choose("opencode", { agent: null, model: null }).model).toBe("usual");
  expect(choose("opencode", { agent: "plan", model: null }).model).toBeNull();
  expect(choose("claude", { agent: "plan", model: null }).model).toBe("usual");
  expect(choose("claude", { agent: null, model: "own" }).model).toBe("own");
});
