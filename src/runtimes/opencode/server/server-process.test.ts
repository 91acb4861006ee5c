import { once } from "node:events";
import type { RequestListener, Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { answersAsOurs, authorizationOf } from "./server-process.ts";
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
