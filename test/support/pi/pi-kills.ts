/** Kills pi's programs mid-turn. They exit with the daemon, whatever they are doing. */
import { join } from "node:path";
import { readProcessRecords } from "../../../src/runtimes/process-pool/process-record.ts";
import type { Kill, KilledAgent, Moment, Victim } from "../agents/agent-kills.ts";
import { piBin, piEnvironment } from "./pi-lanes.ts";

const kill = (moment: Moment, victim: Victim, longestWaitMs: number): Kill => ({ moment, victim, longestWaitMs });

const question = { question: "Which colour?", options: [{ label: "Red" }, { label: "Blue" }] };

export const killedPi: KilledAgent = {
  diesWithDaemon: true,

  // The program that answers the affected message also handles the next one, so there is no start to wait for.
  kills: [
    kill("model", "program", 400),
    kill("tool", "daemon", 200),
    kill("ask", "both", 200),
    kill("tool", "program", 200),
    kill("model", "daemon", 400),
    kill("ask", "daemon", 200),
    kill("model", "both", 400),
    kill("ask", "program", 200),
    kill("tool", "both", 200),
  ],

  /** It hangs at some point, so the kill cannot come too late. */
  brokenTurn({ moment, place, say, marker }) {
    if (moment === "ask") return [{ tools: [{ tool: "question", input: { questions: [question] } }] }, { say }];
    if (moment === "tool") {
      return [{ tools: [{ tool: "bash", input: { command: `touch ${marker} && sleep 60` } }] }, { say }];
    }
    return [{ say, pieceMs: 50, breaks: { how: "hang", afterPieces: place % 4 } }];
  },

  recordsIn(waybill) {
    const directory = join(waybill.home, "pi", "programs");
    return { directory, read: () => readProcessRecords(directory) };
  },

  async configure(waybill, modelUrl) {
    const { PATH: _path, ...env } = piEnvironment(waybill.directory, modelUrl);
    Object.assign(waybill.env, env);
    waybill.configure(
      {},
      {
        piBin,
        piAgentProvider: "scripted",
        piAgentModel: "scripted",
        permissionPolicy: "trusted",
        lanes: [{ id: "lane", directory: waybill.work, runtime: "pi" }],
        delivery: {
          retryDelaysMs: [300],
          graceMs: 1500,
          rereadMs: 200,
          firstReconcileDelayMs: 300,
          maxReconcileDelayMs: 1000,
        },
      },
    );
  },
};
