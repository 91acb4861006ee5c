/** Runs the runtime conformance suite on the real Claude Code. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { findTranscript } from "../../src/runtimes/claude/transcript/files.ts";
import type { Runtime } from "../../src/runtimes/port.ts";
import { conformanceScenes, conformingLane, runtimeConformance } from "../conformance/runtime-conformance.ts";
import { startClaude } from "../support/agents/agent-programs.ts";

runtimeConformance("Claude Code", async () => {
  const { world, programs, kill } = await startClaude(conformanceScenes, [{}]);
  return {
    facts: {
      // The first prompt creates a session, so a session without a prompt is like one that was just opened.
      unknownSession: "idle",
      // It writes nothing of a message before the first output.
      deadTurn: "prompt_delivered_no_assistant_message",
      // It reports this at the end of the turn, but does not write it to the file.
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
