import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../clock.ts";
import type { RuntimeSettings } from "./model-provider.ts";
import { makeRuntime } from "./model-provider.ts";

function settings(modelProvider: string): RuntimeSettings {
  const directory = mkdtempSync(join(tmpdir(), "waybill-provider-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const journalPath = join(directory, "stub.jsonl");
  const made = { modelProvider, journalPath, clock: systemClock, scripts: {}, postMessage: async () => {} };
  return made as RuntimeSettings;
}

test('modelProvider "stub" is the scripted agent', async () => {
  const runtime = makeRuntime(settings("stub"));
  expect(runtime.kind).toBe("stub");
  await runtime.close();
});

test("an unknown model provider is refused, with the known ones", () => {
  expect(() => makeRuntime(settings("nobody"))).toThrow(/no model provider "nobody"/);
});
