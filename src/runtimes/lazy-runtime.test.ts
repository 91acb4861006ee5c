import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { aLane } from "../../test/support/daemon/waybill.ts";
import type { Lane } from "../core/lane/lane.ts";
import { systemClock } from "../platform/clock.ts";
import { lazyRuntime } from "./lazy-runtime.ts";
import { stub } from "./stub/descriptor.ts";
import { StubRuntime } from "./stub/runtime.ts";

const never = new AbortController().signal;
const lane: Lane = {
  ...aLane({ id: "lane" }),
  pausedReason: null,
  teamHold: null,
  sessionId: null,
  generation: 0,
  version: 1,
};

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "waybill-lazy-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function aStub(): StubRuntime {
  const journalPath = join(directory, "stub.jsonl");
  return new StubRuntime({ journalPath, clock: systemClock, scripts: {}, postMessage: async () => {} });
}

function lazyStub(load: (count: number) => StubRuntime) {
  let count = 0;
  const runtime = lazyRuntime(stub, async () => {
    count += 1;
    return load(count);
  });
  return { runtime, loads: () => count };
}

test("starting, reading the descriptor and closing load nothing", async () => {
  const { runtime, loads } = lazyStub(aStub);
  const loaded = aStub();
  await runtime.recover();
  expect([runtime.kind, runtime.traits, runtime.idsFrom("digest")]).toEqual([
    loaded.kind,
    loaded.traits,
    loaded.idsFrom("digest"),
  ]);
  expect(runtime.notices?.(lane)).toEqual([]);
  runtime.laneRemoved?.("lane", []);
  await runtime.close();
  expect(loads()).toBe(0);
  await loaded.close();
});

test("the first calls load the runtime once, and its signals reach earlier listeners", async () => {
  const { runtime, loads } = lazyStub(aStub);
  const signals: string[] = [];
  runtime.onSignal((laneId, { type }) => signals.push(`${laneId}: ${type}`));
  await Promise.all([runtime.openSession(lane, never), runtime.openSession(lane, never)]);
  expect([loads(), signals]).toEqual([1, ["lane: session_started", "lane: session_started"]]);
  await runtime.close();
});

test("a failed load is retried by the next call", async () => {
  const { runtime, loads } = lazyStub((count) => {
    if (count === 1) throw new Error("no memory");
    return aStub();
  });
  await expect(runtime.openSession(lane, never)).rejects.toThrow("no memory");
  await runtime.openSession(lane, never);
  expect(loads()).toBe(2);
  await runtime.close();
});

test("a closed runtime is not loaded", async () => {
  const { runtime, loads } = lazyStub(aStub);
  await runtime.close();
  await expect(runtime.openSession(lane, never)).rejects.toMatchObject({ code: "runtime_closed" });
  expect(loads()).toBe(0);
});
