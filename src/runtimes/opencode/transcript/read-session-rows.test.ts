import type { ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { aLane } from "../../../../test/support/daemon/waybill.ts";
import type { Lane } from "../../../core/lane/lane.ts";
import { OpencodeApi } from "../client/api.ts";
import { SessionRegistry } from "../client/session-registry.ts";
import { readSessionRows } from "./read-session-rows.ts";

const lane: Lane = {
  ...aLane({ id: "lane" }),
  pausedReason: null,
  teamHold: null,
  sessionId: "ses_1",
  generation: 1,
  version: 1,
};
const prompt = { info: { id: "msg_1", role: "user", time: { created: 1 } }, parts: [] };
const answer = (finish: string) => ({
  info: { id: "msg_2", role: "assistant", parentID: "msg_1", time: { created: 2, completed: 3 }, finish },
  parts: [],
});

/** Answers a round of requests when all of them have arrived, so sequential requests would wait forever. */
async function aServer(rounds: readonly { size: number; rows: readonly object[] }[]) {
  const asked: string[] = [];
  let [waiting, round]: [{ path: string; response: ServerResponse }[], number] = [[], 0];
  const server = createServer(({ url: path = "" }, response) => {
    asked.push(path);
    waiting.push({ path, response });
    const { size = 1, rows = [] } = rounds[round] ?? {};
    if (waiting.length < size) return;
    for (const one of waiting) one.response.end(JSON.stringify(one.path === "/session/status" ? {} : rows));
    [waiting, round] = [[], round + 1];
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const api = new OpencodeApi(() => ({ url, authorization: null }));
  const registry = new SessionRegistry(api);
  registry.add("ses_1", null, lane.directory);
  const read = () => readSessionRows({ api, registry }, lane, "ses_1", 80, AbortSignal.timeout(5000));
  return { read, asked };
}

const [rows, status] = ["/session/ses_1/message?limit=80", "/session/status"];

test("a turn that has ended is read in one round of requests", async () => {
  const { read, asked } = await aServer([{ size: 2, rows: [prompt, answer("stop")] }]);
  expect(await read()).toMatchObject({ status: "idle", rows: [{}, {}] });
  expect(asked.sort()).toEqual([rows, status]);
});

test("rows that do not fit an idle session are read again, between two reads of its status", async () => {
  const later = [prompt, answer("tool-calls"), answer("stop")];
  const { read, asked } = await aServer([
    { size: 2, rows: [prompt, answer("tool-calls")] },
    { size: 1, rows: [] },
    { size: 1, rows: later },
  ]);
  expect(await read()).toMatchObject({ status: "idle", rows: [{}, {}, {}] });
  expect(asked.slice(2)).toEqual([status, rows, status]);
});
