import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findDaemon } from "./connect.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "waybill-connect-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const url = "http://127.0.0.1:7717";
const gone = 2 ** 22 + 1;
const daemonFile = (content: object) => writeFileSync(join(home, "daemon.json"), JSON.stringify(content));
const token = (content: string) => writeFileSync(join(home, "token"), content);
const found = (env: NodeJS.ProcessEnv = {}) => {
  const { url, token } = findDaemon({ WAYBILL_HOME: home, ...env });
  return { url: typeof url === "string" ? url : url(), token };
};

test("finds the daemon of the state directory and its token", () => {
  daemonFile({ supervisorPid: process.pid, workerPid: gone, url });
  token("secret\n");
  expect(found()).toEqual({ url, token: "secret" });
});

test("follows it to another address after a restart", () => {
  daemonFile({ supervisorPid: process.pid, url });
  token("secret");
  const daemon = findDaemon({ WAYBILL_HOME: home });
  daemonFile({ supervisorPid: process.pid, url: "http://127.0.0.1:5000" });
  expect(typeof daemon.url === "function" && daemon.url()).toBe("http://127.0.0.1:5000");
});

test("fails while the daemon is starting, and finds it as soon as it listens", () => {
  daemonFile({ supervisorPid: process.pid, workerPid: null, url: null });
  token("secret");
  expect(() => found()).toThrow(
    expect.objectContaining({ name: "WaybillError", code: "no_daemon", message: expect.stringContaining("starting") }),
  );
  const daemon = findDaemon({ WAYBILL_HOME: home });
  daemonFile({ supervisorPid: process.pid, url });
  expect(typeof daemon.url === "function" && daemon.url()).toBe(url);
});

test.each([
  ["no file", () => {}],
  ["a file that names dead processes", () => daemonFile({ supervisorPid: gone, workerPid: gone, url })],
  [
    "the file of a daemon that was killed while starting",
    () => daemonFile({ supervisorPid: gone, workerPid: gone, url: null }),
  ],
  ["half a file", () => writeFileSync(join(home, "daemon.json"), '{"url": "http')],
  ["an empty file", () => daemonFile({})],
])("%s means that no daemon is running", (_what, prepare) => {
  prepare();
  token("secret");
  expect(() => found()).toThrow(
    expect.objectContaining({
      code: "no_daemon",
      message: expect.stringContaining("No daemon is running"),
      hint: expect.stringContaining("waybill up"),
    }),
  );
});

test("WAYBILL_URL takes precedence over the local daemon, and never gets the local token", () => {
  daemonFile({ supervisorPid: process.pid, url });
  token("secret");
  const named = { WAYBILL_URL: "http://elsewhere:1", WAYBILL_TOKEN: "other" };
  expect(found(named)).toEqual({ url: "http://elsewhere:1", token: "other" });
  expect(() => found({ WAYBILL_URL: "http://elsewhere:1" })).toThrow(expect.objectContaining({ code: "no_token" }));
  expect(() => found({ ...named, WAYBILL_URL: "elsewhere" })).toThrow(expect.objectContaining({ code: "bad_url" }));
});

test("a missing token is reported", () => {
  daemonFile({ supervisorPid: process.pid, url });
  expect(() => found()).toThrow(expect.objectContaining({ code: "no_token" }));
});

test("unreadable state is reported as such", () => {
  mkdirSync(join(home, "daemon.json"));
  expect(() => found()).toThrow(expect.objectContaining({ code: "unreadable_state" }));
});
