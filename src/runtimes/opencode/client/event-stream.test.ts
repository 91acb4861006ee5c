import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualClock, settled } from "../../../../test/support/core/manual-clock.ts";
import { OpencodeApi } from "./api.ts";
import type { OpencodeEvent } from "./event-stream.ts";
import { EventStream } from "./event-stream.ts";

/** A request for events, which the test may answer. */
type PendingRequest = { request: IncomingMessage; response: ServerResponse; isGone: () => boolean };

let server: Server;
let clock: ManualClock;
let subscription: EventStream;
let random: number;
let asked: PendingRequest[];
let events: OpencodeEvent[];
/** Everything else that the listener was told, in order. */
let told: string[];

beforeEach(async () => {
  clock = new ManualClock();
  random = 0;
  asked = [];
  events = [];
  told = [];
  server = createServer((request, response) => {
    let gone = false;
    response.once("close", () => {
      gone = true;
    });
    asked.push({ request, response, isGone: () => gone });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  subscription = new EventStream({
    api: new OpencodeApi(() => ({ url, authorization: "Basic secret" })),
    clock,
    random: () => random,
    onEvent: (event) => events.push(event),
    onGap: () => told.push("gap"),
    onLive: (live) => told.push(live ? "live" : "dead"),
    onError: (error) => told.push(error instanceof Error ? error.message : String(error)),
  });
});
afterEach(async () => {
  await subscription.close();
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
});

const untilTrue = (holds: () => boolean) => expect.poll(holds, { interval: 2 }).toBe(true);

async function request(number: number): Promise<PendingRequest> {
  await untilTrue(() => asked.length >= number);
  return asked[number - 1] as PendingRequest;
}

/** Answers the request with this number, and waits until the subscription has noticed. */
async function open(number: number): Promise<ServerResponse> {
  const { response } = await request(number);
  const count = told.filter((one) => one === "gap").length;
  response.writeHead(200, { "Content-Type": "text/event-stream" }).flushHeaders();
  await untilTrue(() => told.filter((one) => one === "gap").length > count);
  return response;
}

const frame = (payload: unknown) => `data: ${JSON.stringify({ directory: "/work", payload })}\n\n`;
const idle = { type: "session.idle", properties: { sessionID: "ses_1" } };
const heartbeat = { type: "server.heartbeat", properties: {} };

/** One for each failed attempt. */
const errors = () => told.filter((one) => !["live", "gap", "dead"].includes(one));

/** Expects the subscription to wait exactly this long between two attempts. */
async function expectPause(ms: number): Promise<void> {
  const requests = asked.length;
  await untilTrue(() => errors().length === requests);
  await clock.advance(ms - 1);
  expect(clock.pending).toBe(1);
  expect(asked.length).toBe(requests);
  await clock.advance(1);
  await request(requests + 1);
}

async function refuse(number: number): Promise<void> {
  const { response } = await request(number);
  response.writeHead(503).end();
  await untilTrue(() => errors().length === number);
  await settled();
}

describe("events", () => {
  test("are requested once, with the password, and arrive as they were sent, however the network splits them", async () => {
    subscription.start();
    subscription.start();
    const stream = await open(1);
    const umlaut = { type: "message.part.updated", properties: { text: "Übung" } };
    const bytes = Buffer.from(frame(idle) + frame(umlaut));
    for (const byte of bytes) await new Promise((sent) => stream.write(Buffer.of(byte), sent));
    await untilTrue(() => events.length === 2);

    expect(events).toEqual([idle, umlaut]);
    expect(asked.map(({ request: { url, headers } }) => [url, headers.authorization])).toEqual([
      ["/global/event", "Basic secret"],
    ]);
  });

  test("are also accepted without the envelope, and unreadable ones are skipped", async () => {
    subscription.start();
    const stream = await open(1);
    stream.write(
      `: a comment\n\ndata: no JSON\n\ndata: {"payload":{"kind":"other"}}\n\ndata: ${JSON.stringify(idle)}\n\n`,
    );
    await untilTrue(() => events.length > 0);
    expect(events).toEqual([idle]);
    expect(told).toEqual(["gap", "live"]);
  });
});

describe("a stream", () => {
  test("that ends is reopened, and each opening is reported as a gap", async () => {
    subscription.start();
    (await open(1)).end();
    await expectPause(125);
    (await open(2)).destroy();
    await expectPause(250);
    await open(3);
    expect(told.map((one) => (one.startsWith("the event stream broke: ") ? "broken" : one))).toEqual([
      ...["gap", "the event stream ended", "dead"],
      ...["gap", "broken", "dead"],
      ...["gap"],
    ]);
  });

  test("with a regular heartbeat is kept, and without one is dead after 25 s", async () => {
    subscription.start();
    const stream = await open(1);
    for (let beat = 1; beat <= 3; beat += 1) {
      await clock.advance(24_999);
      stream.write(frame(heartbeat));
      await untilTrue(() => events.length === beat);
    }
    await clock.advance(24_999);
    expect(told).toEqual(["gap", "live"]);

    await clock.advance(1);
    await untilTrue(() => told.includes("dead"));
    expect(told).toEqual(["gap", "live", "no event for 25 s, not even a heartbeat", "dead"]);
    const [first] = asked;
    await untilTrue(() => first?.isGone() === true);
    await expectPause(125);
  });

  test("that is never answered is given up after the same time, and never counts as live", async () => {
    subscription.start();
    const first = await request(1);
    await clock.advance(25_000);
    await untilTrue(first.isGone);
    await expectPause(125);
    expect(told).toEqual(["no event for 25 s, not even a heartbeat", "dead"]);
  });

  test("that is a web page is an error, and never counts as live", async () => {
    subscription.start();
    const { response } = await request(1);
    response.writeHead(200, { "Content-Type": "text/html" }).end("<html></html>");
    await expectPause(125);
    expect(told).toEqual(["/global/event returned text/html instead of events", "dead"]);
  });
});

describe("the waits between two attempts", () => {
  test.each([
    { random: 0, waits: [125, 250, 500, 1000, 2000, 4000, 5000, 5000] },
    { random: 1, waits: [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000] },
  ])(
    "double up to ten seconds, with up to half taken off at random (at $random)",
    async ({ random: chance, waits }) => {
      random = chance;
      subscription.start();
      for (const [index, wait] of waits.entries()) {
        await refuse(index + 1);
        await expectPause(wait);
      }
    },
  );

  test("start over after a stream that worked for a while, but not after one that broke immediately", async () => {
    subscription.start();
    await refuse(1);
    await expectPause(125);
    (await open(2)).end();
    await expectPause(250);
    const stream = await open(3);
    await clock.advance(10_000);
    stream.end();
    await expectPause(125);
  });

  test("are cut short when a retry is requested", async () => {
    subscription.start();
    subscription.retryNow();
    await refuse(1);
    subscription.retryNow();
    await open(2);
    expect(clock.pending).toBe(1);
  });
});

describe("the subscription can be closed", () => {
  test.each([
    { when: "while it connects", begin: () => request(1) },
    { when: "while events arrive", begin: () => open(1) },
  ])("$when: the connection ends, and no error is reported", async ({ begin }) => {
    subscription.start();
    await begin();
    const before = [...told];
    await subscription.close();
    expect(told).toEqual([...before, "dead"]);
    expect(clock.pending).toBe(0);
    await untilTrue(() => asked[0]?.isGone() === true);
    expect(asked.length).toBe(1);
  });

  test("while it waits for the next attempt, which then never happens", async () => {
    subscription.start();
    await refuse(1);
    await subscription.close();
    expect(clock.pending).toBe(0);
    await clock.advance(60_000);
    expect(asked.length).toBe(1);
  });

  test("before it was started", async () => {
    await subscription.close();
    expect(told).toEqual([]);
  });
});
