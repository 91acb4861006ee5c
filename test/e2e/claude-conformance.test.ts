/** The runtime for Claude Code keeps every promise of the port, on the real program. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { findTranscript } from "../../src/runtimes/claude/transcript/find-transcript.ts";
import type { Runtime } from "../../src/runtimes/port.ts";
import { conformanceScenes, conformingLane, runtimeConformance } from "../conformance/runtime-conformance.ts";
import { startClaude } from "../support/agent-programs.ts";

runtimeConformance("Claude Code", async () => {
  const { world, programs, kill } = await startClaude(conformanceScenes, [{}]);
  return {
    facts: {
      // A session is made by its first prompt, so one that was never prompted is like one that was just opened.
      unknownSession: "idle",
      // It writes nothing of a message before its first word.
      deadTurn: "prompt_delivered_no_assistant_message",
      // It says so at the end of the turn, and does not write it down.
      keepsCost: false,
      isProgram: true,
    },
    get runtime() {
      return world.waybill.runtimes.get("claude") as Runtime;
    },
    lane: conformingLane("claude", world.work),
    runs: (words) => world.turns(words),
    earlier: (prompt) => world.earlier.get(prompt) ?? "",
    instructions: (words) => world.instructions(words),
    received: (words) => world.received(words),
    kill: () => kill("lane"),
    loseSession: async (sessionId) => {
      rmSync(findTranscript(join(world.home, ".claude"), world.work, sessionId) ?? "");
    },
    programs,
    stop: ({ keep } = { keep: false }) => world.waybill.close({ keepAgents: keep }),
    start: async () => void (await world.start()),
    dispose: () => world.dispose(),
  };
});
