import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ScriptedServer } from "../../test/support/agents/scripted-server.ts";
import { cutOff, frame, frames, json, scriptedServer } from "../../test/support/agents/scripted-server.ts";
import type { Fetch } from "./api-fetch.ts";
import { WaybillClient } from "./waybill-client.ts";
import type { WaybillError } from "./waybill-error.ts";

let server: ScriptedServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

const lane = (id: string) => ({ id, at: "2026-01-31T12:00:00.000Z", removed: false, pausedReason: null });

/** The cursors of the first events. */
async function first(count: number, options: { after?: string; onError?: (error: WaybillError) => void } = {}) {
  const client = new WaybillClient({ url: server?.url ?? "", token: "secret" });
  const cursors: string[] = [];
  for await (const { cursor } of client.stream({ ...options, lane: "chat" })) {
    cursors.push(cursor);
    if (cursors.length === count) break;
  }
  return cursors;
}

const resumedAfter = () => server?.asked.map(({ headers }) => headers["last-event-id"] ?? null);

describe("the stream", () => {
  test("continues after the last event when the connection breaks, and reports the break", async () => {
    server = await scriptedServer(
      frames("breaks", frame("c5", "open"), frame("c6", "lane", lane("chat")), frame("c7", "lane", lane("chat"))),
      frames("stays", ": open\n\n", frame("c8", "lane", lane("chat")), frame("c9", "lane", lane("chat"))),
    );
    const trouble: string[] = [];
    expect(await first(4, { onError: (error) => trouble.push(error.code) })).toEqual(["c6", "c7", "c8", "c9"]);
    expect(resumedAfter()).toEqual([null, "c7"]);
    expect(trouble).toEqual(["connection_lost"]);
    expect(server.asked[0]).toMatchObject({
      path: "/v1/stream?lane=chat",
      headers: { authorization: "Bearer secret" },
    });
  });

  test("reports each connection before its first event", async () => {
    server = await scriptedServer(
      frames("breaks", frame("c5", "open"), frame("c6", "lane", lane("chat"))),
      json(503, { error: { code: "closing", message: "closing" } }),
      frames("stays", ": open\n\n", frame("c7", "lane", lane("chat"))),
    );
    const told: string[] = [];
    const events = new WaybillClient({ url: server.url }).stream({
      onConnected: () => told.push("connected"),
      onOpen: () => told.push("open"),
      onError: ({ code }) => told.push(code),
    });
    for await (const { cursor } of events) {
      told.push(cursor);
      if (cursor === "c7") break;
    }
    expect(told).toEqual(["connected", "open", "c6", "connection_lost", "closing", "connected", "c7"]);
  });

  test("that breaks before its first event continues from where it was opened", async () => {
    server = await scriptedServer(
      frames("breaks", frame("c5", "open")),
      frames("stays", frame("c9", "open"), frame("c6", "lane", lane("chat"))),
    );
    expect(await first(1)).toEqual(["c6"]);
    expect(resumedAfter()).toEqual([null, "c5"]);
  });

  test("never continues from beyond the last event it received", async () => {
    server = await scriptedServer(
      frames("breaks", frame("c5", "open"), frame("c6", "lane", lane("chat"))),
      frames("breaks", frame("c9", "open")),
      frames("stays", ": open\n\n", frame("c7", "lane", lane("chat"))),
    );
    expect(await first(2)).toEqual(["c6", "c7"]);
    expect(resumedAfter()).toEqual([null, "c6", "c6"]);
  });

  test("ignores half an event", async () => {
    const half = frame("c7", "lane", lane("chat")).slice(0, -1);
    server = await scriptedServer(
      frames("breaks", frame("c5", "open"), frame("c6", "lane", lane("chat")), half),
      frames("stays", frame("c7", "open"), frame("c7", "lane", lane("chat"))),
    );
    expect(await first(2)).toEqual(["c6", "c7"]);
    expect(resumedAfter()).toEqual([null, "c6"]);
  });

  test("yields no event twice, even if the daemon repeats it", async () => {
    const again = [frame("c6", "lane", lane("chat")), frame("c7", "lane", lane("chat"))];
    server = await scriptedServer(
      frames("breaks", frame("c5", "open"), ...again),
      frames("stays", frame("c7", "open"), ...again, frame("c8", "lane", lane("chat"))),
    );
    expect(await first(3)).toEqual(["c6", "c7", "c8"]);
  });

  test("treats events after a reset as new, even if their ids were seen before", async () => {
    server = await scriptedServer(
      frames("breaks", frame("c5", "open"), frame("c6", "lane", lane("chat")), frame("c7", "lane", lane("chat"))),
      frames("stays", ": open\n\n", frame("c0", "reset"), frame("c6", "lane", lane("other"))),
    );
    expect(await first(4)).toEqual(["c6", "c7", "c0", "c6"]);
  });

  test("waits out a daemon that is not ready or restarts", async () => {
    server = await scriptedServer(
      json(503, { error: { code: "closing", message: "closing" } }),
      cutOff,
      frames("stays", frame("c5", "open"), frame("c6", "lane", lane("chat"))),
    );
    expect(await first(1, { after: "c5" })).toEqual(["c6"]);
    expect(resumedAfter()).toEqual(["c5", "c5", "c5"]);
  });

  test("ends with the daemon's own error when it is refused", async () => {
    server = await scriptedServer(
      json(401, { error: { code: "unauthorized", message: "No.", hint: "Use the token." } }),
    );
    await expect(first(1)).rejects.toMatchObject({ code: "unauthorized", hint: "Use the token.", status: 401 });
    expect(server.asked).toHaveLength(1);
  });

  test("ends quietly when its signal is aborted", async () => {
    server = await scriptedServer(frames("stays", frame("c5", "open"), frame("c6", "lane", lane("chat"))));
    const stop = new AbortController();
    const client = new WaybillClient({ url: server.url });
    const cursors: string[] = [];
    for await (const { cursor } of client.stream({ signal: stop.signal })) {
      cursors.push(cursor);
      stop.abort();
    }
    expect(cursors).toEqual(["c6"]);
  });

  test("also ends after a garbage collection while it waited", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    server = await scriptedServer(frames("stays", frame("c5", "open"), frame("c6", "lane", lane("chat"))));
    const stop = new AbortController();
    const events = new WaybillClient({ url: server.url, signal: stop.signal }).stream({
      signal: new AbortController().signal,
    });
    await events.next();
    const next = events.next();
    for (let times = 0; times < 5; times += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      collect();
    }
    stop.abort();
    expect(await next).toMatchObject({ done: true });
  });
});

test("the event stream resumes after the last event with an id, and passes on those without one", async () => {
  const delta = 'event: item.delta\ndata: {"type":"item.delta","data":{"text":"x"}}\n\n';
  server = await scriptedServer(
    frames("breaks", frame("e5", "open"), frame("e6", "turn.started"), delta, delta),
    frames("stays", ": open\n\n", frame("e7", "turn.ended")),
  );
  const seen: string[] = [];
  for await (const { type, cursor } of new WaybillClient({ url: server.url }).followEvents({ lane: "chat" })) {
    seen.push(`${type} ${cursor}`);
    if (seen.length === 4) break;
  }
  expect(seen).toEqual(["turn.started e6", "item.delta e6", "item.delta e6", "turn.ended e7"]);
  expect(server.asked.map(({ path }) => path)).toEqual(Array(2).fill("/v1/stream?lane=chat&types=events"));
  expect(resumedAfter()).toEqual([null, "e6"]);
});

describe("with fake timers", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("a silent connection is dropped after three missed heartbeats, one with heartbeats is not", async () => {
    const opened: (string | null)[] = [];
    let say: (words: string) => void = () => {};
    const fetch: Fetch = async (_url, { headers }) => {
      opened.push(headers["Last-Event-ID"] ?? null);
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          say = (words) => controller.enqueue(new TextEncoder().encode(words));
          say(frame("c5", "open"));
        },
      });
      return new Response(body);
    };
    const trouble: string[] = [];
    const client = new WaybillClient({ url: "http://daemon", fetch });
    const next = client.stream({ onError: (error) => trouble.push(error.code) }).next();
    await vi.advanceTimersByTimeAsync(40_000);
    say(": still here\n\n");
    await vi.advanceTimersByTimeAsync(44_000);
    expect(opened).toEqual([null]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(opened).toEqual([null, "c5"]);
    expect(trouble).toEqual(["no_answer"]);
    say(frame("c6", "lane", lane("chat")));
    expect(await next).toMatchObject({ value: { type: "lane", cursor: "c6" } });
  });

  test("tries a few times at first, and forever once it was connected", async () => {
    let there = false;
    let tries = 0;
    const fetch = async () => {
      tries += 1;
      if (!there) throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });
      return new Response(": open\n\n");
    };
    const client = new WaybillClient({ url: "http://daemon", fetch });
    const failed = client
      .stream()
      .next()
      .catch((error: WaybillError) => error.code);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([await failed, tries]).toEqual(["no_daemon", 5]);

    there = true;
    const stop = new AbortController();
    const next = client.stream({ after: "c5", signal: stop.signal }).next();
    await vi.advanceTimersByTimeAsync(0);
    there = false;
    tries = 0;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(tries).toBeGreaterThanOrEqual(13);
    expect(tries).toBeLessThanOrEqual(16);
    stop.abort();
    expect(await next).toMatchObject({ done: true });
  });
});
