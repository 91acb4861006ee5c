import { createParser } from "eventsource-parser";
import { expect, onTestFinished, test } from "vitest";
import { anEvent } from "../../../test/support/events.ts";
import { anApi, served, token } from "../../../test/support/http-api.ts";
import type { UniversalEvent } from "../../core/turn/universal-event.ts";
import { eventPageSchema, streamEventSchema } from "./event-schemas.ts";

const delta = (seq: number, text: string) =>
  anEvent({ seq, lane: "demo" }, { type: "item.delta", data: { item: "a", part: "p", kind: "text", text } });
const event = (seq: number, lane = "demo") => anEvent({ seq, lane });

test("events come by pages, oldest first, of all lanes or of one", async () => {
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

test("a lane that is not there and a cursor that nobody made are refused, by page and by stream", async () => {
  const { ask } = anApi();
  for (const path of ["/v1/events?", "/v1/stream?types=events&"]) {
    expect((await ask(`${path}lane=nobody`)).status).toBe(404);
    const query = path.startsWith("/v1/stream") ? "lastEventId" : "after";
    expect((await ask(`${path}${query}=zzz`)).json()).toMatchObject({ error: { code: "cursor_invalid" } });
  }
});

test("the stream brings events as they were written, deltas without an id, and resumes after the last that has one", async () => {
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

test("a page after a cursor of the version before begins with the oldest that is kept, and says so", async () => {
  const { ask, service } = anApi();
  service.publish(event(1), event(2));
  const before = Buffer.from("e1.1").toString("base64url");
  const page = eventPageSchema.parse((await ask(`/v1/events?after=${before}`)).json());
  expect([page.reset, page.events.map((one) => one.event)]).toEqual([true, [event(1), event(2)]]);
  const next = eventPageSchema.parse((await ask(`/v1/events?after=${page.cursor}`)).json());
  expect([next.reset, next.events]).toEqual([false, []]);
});
