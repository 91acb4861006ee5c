import { once } from "node:events";
import { closeSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import type { RequestListener, Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  answersAsOurs,
  authorizationOf,
  defaultServerTimes,
  nextWait,
  openOutput,
  outputIn,
  shrinkOutput,
} from "./server-process.ts";
import type { ServerRecord } from "./server-record.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const record: ServerRecord = {
  nonce: "n",
  url: "",
  password: "known to one server only",
  passwordIsRandom: true,
  port: 1,
  startedAt: 1,
  fingerprint: "f",
  pid: null,
  processStart: null,
};

async function answerOf(listener: RequestListener): Promise<string | null> {
  server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return answersAsOurs({ ...record, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }, 5000);
}

const health = '{"healthy":true,"version":"1.18.33"}';

describe("the program that answers at our server's address", () => {
  test("is our server if it accepts our password and nothing else", async () => {
    const version = await answerOf(({ headers }, response) =>
      headers.authorization === authorizationOf(record) ? response.end(health) : response.writeHead(401).end(),
    );
    expect(version).toBe("1.18.33");
  });

  test("is another server if it needs no password, and it never sees ours", async () => {
    const seen: unknown[] = [];
    const version = await answerOf(({ headers }, response) => {
      seen.push(headers.authorization);
      response.end(health);
    });
    expect(version).toBeNull();
    expect(seen).toEqual([undefined]);
  });

  test("is another server if it has another password", async () => {
    expect(await answerOf((_, response) => response.writeHead(401).end())).toBeNull();
  });
});

test("the waits between attempts double from a second to half a minute", () => {
  const waits = [0, 1, 2, 3, 4, 5, 6, 1000].map((failures) => nextWait(failures, defaultServerTimes) / 1000);
  expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
});

let directory: string;
let output: number;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "waybill-output-"));
  output = openOutput(directory);
});
afterEach(() => {
  closeSync(output);
  rmSync(directory, { recursive: true, force: true });
});

const now = () => readFileSync(outputIn(directory), "utf8");
const earlier = () => readFileSync(join(directory, "output.old.log"), "utf8");

describe("the output of a server", () => {
  test("is kept when another server starts, readable only by its owner", () => {
    writeSync(output, "the first\n");
    closeSync(output);
    output = openOutput(directory);
    writeSync(output, "the second\n");
    expect([now(), earlier()]).toEqual(["the second\n", "the first\n"]);
    for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  });

  test("is moved to another file when it gets large, and the server continues at the beginning", () => {
    writeSync(output, "0123456789\n");
    shrinkOutput(directory, 11);
    expect(now()).toBe("0123456789\n");
    shrinkOutput(directory, 10);
    writeSync(output, "more\n");
    expect([now(), earlier()]).toEqual(["more\n", "0123456789\n"]);
  });
});
