/** The stub keeps every promise of the runtimes' port, so what is tested with it holds for the programs. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/clock.ts";
import { readJournal } from "../../src/runtimes/stub/journal.ts";
import { StubRuntime } from "../../src/runtimes/stub/stub-runtime.ts";
import { stubScript } from "../support/agent-scripts.ts";
import { conformanceScenes, conformingLane, runtimeConformance } from "./runtime-conformance.ts";

runtimeConformance("stub", async () => {
  const directory = mkdtempSync(join(tmpdir(), "waybill-stub-"));
  const journalPath = join(directory, "stub.jsonl");
  const scripts = { default: stubScript(conformanceScenes) };
  const open = () => new StubRuntime({ journalPath, clock: systemClock, scripts, postMessage: async () => {} });
  let runtime = open();
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
    kill: () => {},
    loseSession: async (sessionId) => runtime.endSession(sessionId),
    programs: () => [],
    stop: () => runtime.close(),
    start: async () => {
      runtime = open();
      await runtime.recover();
    },
    dispose: async () => {
      rmSync(directory, { recursive: true, force: true });
    },
  };
});
