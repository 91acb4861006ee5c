/** Kills OpenCode's server mid-turn. */

import { isolatedHome, scriptedProvider } from "@waybill/scripted-model";
import { readServerRecord } from "../../../src/runtimes/opencode/server/server-record.ts";
import type { KilledAgent } from "../agents/agent-kills.ts";
import { freePort } from "../daemon/free-port.ts";
import { opencodeBin } from "./opencode-server.ts";

export const killedOpencode: KilledAgent = {
  kills: [
    { victim: "program", moment: "model", longestWaitMs: 900 },
    { victim: "daemon", moment: "model", longestWaitMs: 900 },
    { victim: "both", moment: "model", longestWaitMs: 900 },
  ],

  /**
   * A turn in which OpenCode dies hangs at some point, so the kill cannot come too late. A turn in which only the daemon dies
   * continues, and ends before or after the next daemon starts.
   */
  brokenTurn: ({ victim, place, say }) => [
    victim === "daemon"
      ? { say, waitMs: 300, pieceMs: 100 }
      : { say, pieceMs: 50, breaks: { how: "hang", afterPieces: place % 4 } },
  ],

  recordsIn(waybill) {
    const directory = `${waybill.home}/opencode-server`;
    return { directory, read: () => [readServerRecord(directory) ?? []].flat() };
  },

  async configure(waybill, modelUrl) {
    const port = await freePort();
    Object.assign(waybill.env, isolatedHome(waybill.directory), {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(scriptedProvider(modelUrl)),
    });
    waybill.configure(
      {},
      {
        modelProvider: "opencode_cli",
        opencodeBin,
        opencodeAttachUrl: `http://127.0.0.1:${port}`,
        opencodeServePort: port,
        lanes: [{ id: "lane", directory: waybill.work }],
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
