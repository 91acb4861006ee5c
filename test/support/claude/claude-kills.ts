/** Kills Claude Code's programs mid-turn. */
import { join } from "node:path";
import { readProcessRecords } from "../../../src/runtimes/process-pool/process-record.ts";
import type { Kill, KilledAgent, Moment, Victim } from "../agents/agent-kills.ts";
import { claudeBin, claudeEnvironment } from "./claude-process.ts";

const kill = (moment: Moment, victim: Victim, longestWaitMs: number): Kill => ({ moment, victim, longestWaitMs });

const question = {
  question: "Which colour?",
  header: "Colour",
  options: [
    { label: "Red", description: "r" },
    { label: "Blue", description: "b" },
  ],
  multiSelect: false,
};

export const killedClaude: KilledAgent = {
  // A test can wait for a start only after the daemon was killed: its program exits with its turn, and another one is
  // started for the next message. After any other kill, a program is started for the affected message.
  kills: [
    kill("model", "program", 400),
    kill("tool", "daemon", 400),
    kill("start", "both", 1300),
    kill("tool", "program", 200),
    kill("ask", "daemon", 200),
    kill("start", "daemon", 1000),
    kill("model", "both", 400),
    kill("model", "daemon", 400),
    kill("start", "program", 1300),
    kill("ask", "program", 200),
    kill("tool", "both", 200),
    kill("ask", "both", 200),
  ],

  /**
   * A turn in which the program dies hangs at some point, so the kill cannot come too late. A turn in which only the daemon
   * dies continues, and ends before or after the next daemon starts; an ask that can no longer be answered has failed by then.
   */
  brokenTurn({ victim, moment, place, say, marker }) {
    if (moment === "start") return [{ say, waitMs: victim === "daemon" ? 1500 : 3000 }];
    if (moment === "ask") {
      const ask = { tool: "AskUserQuestion", input: { questions: [question] } };
      // Without a daemon the ask fails immediately, and the turn must not end before its program is also killed.
      return [{ tools: [ask] }, victim === "daemon" ? { say } : { say, breaks: { how: "hang" } }];
    }
    if (moment === "tool") {
      const command = `touch ${marker} && sleep ${victim === "daemon" ? 2 : 60}`;
      return [{ tools: [{ tool: "Bash", input: { command } }] }, { say }];
    }
    if (victim === "daemon") return [{ say, waitMs: 500, pieceMs: 100 }];
    return [{ say, pieceMs: 50, breaks: { how: "hang", afterPieces: place % 4 } }];
  },

  recordsIn(waybill) {
    const directory = join(waybill.home, "claude", "programs");
    return { directory, read: () => readProcessRecords(directory) };
  },

  async configure(waybill, modelUrl) {
    const { PATH: _path, ...env } = claudeEnvironment(waybill.directory, modelUrl);
    Object.assign(waybill.env, env);
    waybill.configure(
      {},
      {
        claudeBin,
        permissionPolicy: "trusted",
        lanes: [{ id: "lane", directory: waybill.work, runtime: "claude" }],
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
