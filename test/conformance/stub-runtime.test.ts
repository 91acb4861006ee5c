/**
 * The stub keeps every promise of the runtime port, so tests with the stub also hold for real programs. The same goes
 * for a lazily loaded runtime, which is tested here with the stub.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/platform/clock.ts";
import { lazyRuntime } from "../../src/runtimes/lazy-runtime.ts";
import type { Runtime } from "../../src/runtimes/port.ts";
import { stub } from "../../src/runtimes/stub/descriptor.ts";
import { readJournal } from "../../src/runtimes/stub/journal.ts";
import { StubRuntime } from "../../src/runtimes/stub/runtime.ts";
import { stubScript } from "../support/agents/agent-scripts.ts";
import type { RuntimeHarness } from "./runtime-conformance.ts";
import { conformanceScenes, conformingLane, runtimeConformance } from "./runtime-conformance.ts";

runtimeConformance("stub", () => aStub((runtime) => runtime));
runtimeConformance("loaded when needed", () => aStub((runtime) => lazyRuntime(stub, async () => runtime)));

async function aStub(offered: (runtime: StubRuntime) => Runtime): Promise<RuntimeHarness> {
  const directory = mkdtempSync(join(tmpdir(), "waybill-stub-"));
  const journalPath = join(directory, "stub.jsonl");
  const scripts = { default: stubScript(conformanceScenes) };
  let agent: StubRuntime;
  let runtime: Runtime;
  const open = () => {
    agent = new StubRuntime({ journalPath, clock: systemClock, scripts, postMessage: async () => {} });
    runtime = offered(agent);
  };
  open();
  return {
    facts: { unknownSession: "stale", deadTurn: "interrupted", keepsCost: true, isProgram: false },
    get runtime() {
      return runtime;
    },
    lane: conformingLane("stub", directory),
    runs: (words) =>
      readJournal(journalPath).filter(
        (entry) => entry.type === "prompt" && entry.turn !== null && entry.text.includes(words),
      ).length,
    earlier: () => null,
    instructions: () => [],
    received: () => null,
    kill: () => {},
    loseSession: async (sessionId) => agent.endSession(sessionId),
    programs: () => [],
    stop: () => runtime.close(),
    start: async () => {
      open();
      await runtime.recover();
    },
    dispose: async () => {
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
