import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../../platform/app-error.ts";
import { systemClock } from "../../platform/clock.ts";
import type { AgentClient } from "./agent-process.ts";
import { AgentProcess } from "./agent-process.ts";
import { readProcessRecords } from "./process-record.ts";

let records = "";
beforeEach(() => {
  records = mkdtempSync(join(tmpdir(), "waybill-start-"));
});
afterEach(() => rmSync(records, { recursive: true }));

type LineClient = AgentClient & { firstLine: Promise<void> };

function lineClient(): LineClient {
  let received = () => {};
  let ended = (_reason: Error) => {};
  const firstLine = new Promise<void>((resolve, reject) => {
    received = resolve;
    ended = reject;
  });
  firstLine.catch(() => {});
  return {
    firstLine,
    isWorking: false,
    asks: [],
    lastOutputAt: null,
    receive: () => received(),
    answer: () => {},
    interrupt: async () => {},
    end: (reason) => ended(new Error(reason)),
  };
}

const unknownAgent = new AppError({ code: "agent_unknown", message: 'It has no agent "x".', hint: "It has y." });

/** The error with which the start of this shell script fails. */
async function startError(script: string, handshake: (client: LineClient) => Promise<unknown>): Promise<unknown> {
  const process = new AgentProcess<LineClient>(
    {
      laneId: "lane",
      sessionId: "session",
      path: "/bin/sh",
      args: ["-c", script],
      directory: records,
      env: { PATH: globalThis.process.env.PATH ?? "" },
      fingerprint: "",
      createClient: lineClient,
      handshake,
      onReady: () => {},
      onLine: () => {},
    },
    {
      kind: { name: "It", code: "it", setting: "itBin" },
      records,
      clock: systemClock,
      startMs: 1000,
      endMs: 3000,
      onIdle: () => {},
      onChange: () => {},
      onEnd: () => {},
    },
  );
  const error = await process.start().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(readProcessRecords(records)).toEqual([]);
  return error;
}

describe("a failed start", () => {
  test("reports that the program did not answer in time, not how it was ended", async () => {
    const error = await startError("cat > /dev/null", (client) => client.firstLine);
    expect(error).toMatchObject({ code: "it_start_timeout", message: "It did not answer within 1 s and was ended." });
  });

  test("reports the problem that the program's answer revealed", async () => {
    const handshake = async (client: LineClient) => {
      await client.firstLine;
      throw unknownAgent;
    };
    expect(await startError("echo '{}'; cat > /dev/null", handshake)).toBe(unknownAgent);
  });

  test("reports how the program ended if it ended on its own", async () => {
    const error = await startError("echo no login >&2; exit 3", (client) => client.firstLine);
    expect(error).toMatchObject({
      code: "it_start_failed",
      message: "It ended with exit code 3. Its last output: no login",
    });
  });
});
