/** Claude Code's programs as what is killed in mid-turn. */
import { join } from "node:path";
import { readProcessRecords } from "../../src/runtimes/process-pool/process-record.ts";
import type { Kill, KilledAgent, Moment, Victim } from "./agent-kills.ts";
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
  // A start can only be waited for after a kill of the daemon: its program ends with its turn, and another is started
  // for the next message. Any other kill is followed by a start for the message that it hit.
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
   * A turn in which the program dies stops somewhere and never ends by itself, so the kill cannot come too late. One in
   * which only the daemon dies goes on, and ends before the next daemon is there, or after; an ask that nobody can
   * answer any more has failed then.
   */
  brokenTurn({ victim, moment, place, say, marker }) {
    if (moment === "start") return [{ say, waitMs: victim === "daemon" ? 1500 : 3000 }];
    if (moment === "ask") {
      const ask = { tool: "AskUserQuestion", input: { questions: [question] } };
      // Without a daemon the ask fails at once, and the turn must not end before its program is killed as well.
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
