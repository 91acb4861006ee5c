/** Runs the runtime conformance suite on the real OpenCode. */
import { conformanceScenes, conformingLane, runtimeConformance } from "../conformance/runtime-conformance.ts";
import { startOpencode } from "../support/agents/agent-programs.ts";

runtimeConformance("OpenCode", async () => {
  const { world, programs, kill, deleteSession } = await startOpencode(conformanceScenes, [{}]);
  return {
    facts: { unknownSession: "stale", deadTurn: "interrupted", keepsCost: true, isProgram: true },
    get runtime() {
      return world.runtime;
    },
    lane: conformingLane("opencode", world.work),
    runs: (words) => world.turns(words),
    earlier: (prompt) => world.earlier.get(prompt) ?? "",
    instructions: (words) => world.instructions(words),
    received: (words) => world.received(words),
    kill,
    loseSession: deleteSession,
    programs,
    stop: ({ keep } = { keep: false }) => world.waybill.close({ keepAgents: keep }),
    start: async () => void (await world.start()),
    dispose: () => world.dispose(),
  };
});
