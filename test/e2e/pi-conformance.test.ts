/** Runs the runtime conformance suite on the real pi. */
import { rmSync } from "node:fs";
import { sessionFile, sessionFolders } from "../../src/runtimes/pi/transcript/files.ts";
import type { Runtime } from "../../src/runtimes/port.ts";
import { conformanceScenes, conformingLane, runtimeConformance } from "../conformance/runtime-conformance.ts";
import { startPi } from "../support/agents/agent-programs.ts";

runtimeConformance("pi", async () => {
  const { world, programs, kill } = await startPi(conformanceScenes, [{}]);
  return {
    facts: {
      // The first prompt creates a session, so a session without a prompt is like one that was just opened.
      unknownSession: "idle",
      // It writes nothing before the first answer, not even the prompt.
      deadTurn: "not_observed",
      keepsCost: true,
      isProgram: true,
    },
    get runtime() {
      return world.waybill.runtimes.get("pi") as Runtime;
    },
    lane: conformingLane("pi", world.work),
    runs: (words) => world.turns(words),
    earlier: (prompt) => world.earlier.get(prompt) ?? "",
    instructions: (words) => world.instructions(words),
    received: (words) => world.received(words),
    kill: () => kill("lane"),
    loseSession: async (sessionId) => {
      rmSync(sessionFile(sessionFolders({ HOME: world.home }), world.work, sessionId));
    },
    programs,
    stop: ({ keep } = { keep: false }) => world.waybill.close({ keepAgents: keep }),
    start: async () => void (await world.start()),
    dispose: () => world.dispose(),
  };
});
