import { createParser } from "eventsource-parser";
import { expect, onTestFinished, test } from "vitest";
import { anEvent } from "../../../test/support/core/events.ts";
import { anApi, served, token } from "../../../test/support/daemon/http-api.ts";
import type { UniversalEvent } from "../../core/turn/universal-event.ts";
import { eventPageSchema, laneEventPageSchema, streamEventSchema } from "./event-schemas.ts";

const delta = (seq: number, text: string) =>
  anEvent({ seq, lane: "demo" }, { type: "item.delta", data: { item: "a", part: "p", kind: "text", text } });
const event = (seq: number, lane = "demo") => anEvent({ seq, lane });

test("events are listed in pages, oldest first, for all lanes or one", async () => {
  const { ask, service } = anApi();
  for (const one of [event(1), delta(1, "x"), event(1, "other"), event(2)]) service.publish(one);
  const page = async (query: string) => {
    const { events, cursor } = eventPageSchema.parse((await ask(`/v1/events${query}`)).json());
    return { cursor, cursors: events.map((one) => one.cursor), events: events.map((one) => one.event) };
  };
  const first = await page("?limit=2");
  expect(first.events).toEqual([event(1), event(1, "other")]);
  expect((await page(`?limit=2&after=${first.cursor}`)).events).toEqual([event(2)]);
  expect((await page(`?after=${first.cursors[0]}`)).events).toEqual([event(1, "other"), event(2)]);
  expect((await page("?lane=demo")).events).toEqual([event(1), event(2)]);
});

const laneEvents = async ({ ask }: ReturnType<typeof anApi>, query: string) => {
  const { events, nextBefore } = laneEventPageSchema.parse((await ask(`/v1/lanes/demo/events${query}`)).json());
  return { events, nextBefore };
};

test("a lane's events can be read backwards, down to the oldest one kept", async () => {
  const api = anApi();
  api.service.publish(event(1), event(2), delta(2, "x"), event(1, "other"), event(3));
  expect(await laneEvents(api, "?limit=2")).toEqual({ events: [event(3), event(2)], nextBefore: 2 });
  expect(await laneEvents(api, "?limit=2&before=2")).toEqual({ events: [event(1)], nextBefore: null });
  expect(await laneEvents(api, "?limit=3")).toEqual({ events: [event(3), event(2), event(1)], nextBefore: null });
  expect(await laneEvents(api, "?before=0")).toEqual({ events: [], nextBefore: null });
});

test("a page of large events is shorter than its limit, and has a cursor to continue", async () => {
  const api = anApi();
  const large = (seq: number) =>
    anEvent({ seq, lane: "demo" }, { type: "error", data: { message: "x".repeat(600_000), item: null } });
  api.service.publish(large(1), large(2));
  expect(await laneEvents(api, "")).toEqual({ events: [large(2)], nextBefore: 2 });
  expect(await laneEvents(api, "?before=2")).toEqual({ events: [large(1)], nextBefore: null });
});

test("the events of a removed lane remain available, and a lane that never existed is unknown", async () => {
  const api = anApi();
  const { ask, service } = api;
  service.publish(event(1));
  expect((await ask("/v1/lanes/demo", { method: "DELETE" })).status).toBe(204);
  expect(await laneEvents(api, "")).toEqual({ events: [event(1)], nextBefore: null });
  expect((await ask("/v1/lanes/nobody/events")).json()).toMatchObject({ error: { code: "lane_unknown" } });
  for (const query of ["before=-1", "before=x", "limit=0", "limit=201", "colour=red"])
    expect([query, (await ask(`/v1/lanes/demo/events?${query}`)).status]).toEqual([query, 400]);
});

test("pages and streams refuse an unknown lane and an invalid cursor", async () => {
  const { ask } = anApi();
  for (const path of ["/v1/events?", "/v1/stream?types=events&"]) {
    expect((await ask(`${path}lane=nobody`)).status).toBe(404);
    const query = path.startsWith("/v1/stream") ? "lastEventId" : "after";
    expect((await ask(`${path}${query}=zzz`)).json()).toMatchObject({ error: { code: "cursor_invalid" } });
  }
});

test("the stream sends events unchanged and deltas without an id, and resumes after the last event with an id", async () => {
  const { listening, service } = await served();
  const follow = async (headers: Record<string, string>, count: number) => {
    const leave = new AbortController();
    onTestFinished(() => leave.abort());
    const answer = await fetch(`${listening.url}/v1/stream?types=events&lane=demo`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
      signal: leave.signal,
    });
    const seen: { id: string | undefined; event: string | undefined; data: UniversalEvent }[] = [];
    const parser = createParser({ onEvent: ({ id, event, data }) => seen.push({ id, event, data: JSON.parse(data) }) });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    return {
      seen,
      async read() {
        while (seen.length < count) parser.feed((await reader?.read())?.value ?? "");
        leave.abort();
        return seen;
      },
    };
  };
  const first = await follow({}, 4);
  const reading = first.read();
  while (first.seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
  for (const one of [event(1), delta(1, "x"), event(1, "other"), event(2)]) service.publish(one);
  const seen = await reading;
  expect(seen.map(({ event }) => event)).toEqual(["open", "error", "item.delta", "error"]);
  expect(seen.map(({ id }) => id === undefined)).toEqual([false, false, true, false]);
  expect(seen.slice(1).map(({ data }) => data)).toEqual([event(1), delta(1, "x"), event(2)]);
  for (const { data } of seen) expect(streamEventSchema.parse(data)).toEqual(data);
  service.publish(event(3));
  const second = await (await follow({ "last-event-id": seen[3]?.id ?? "" }, 1)).read();
  expect(second.map(({ data }) => data)).toEqual([event(3)]);
});

test("a page after a cursor of an earlier version starts with the oldest event kept, and reports the reset", async () => {
  const { ask, service } = anApi();
  service.publish(event(1), event(2));
  const before = Buffer.from("e1.1").toString("base64url");
  const page = eventPageSchema.parse((await ask(`/v1/events?after=${before}`)).json());
  expect([page.reset, page.events.map((one) => one.event)]).toEqual([true, [event(1), event(2)]]);
  const next = eventPageSchema.parse((await ask(`/v1/events?after=${page.cursor}`)).json());
  expect([next.reset, next.events]).toEqual([false, []]);
});
