import { getEventListeners } from "node:events";
import { createParser } from "eventsource-parser";
import { expect, onTestFinished, test } from "vitest";
import { settled } from "../../../../test/support/core/manual-clock.ts";
import { anApiOn, port, token } from "../../../../test/support/daemon/http-api.ts";
import { serviceOf } from "../../../../test/support/daemon/service-of.ts";
import type { World } from "../../../../test/support/daemon/waybill.ts";
import { startWorld } from "../../../../test/support/daemon/waybill.ts";

const script = { always: [{ steps: [{ say: "Well." }] }] };

type Heard = { id: string | undefined; data: Record<string, unknown> };

function apiOf(world: World) {
  const closing = new AbortController();
  const { app, errors } = anApiOn(serviceOf(world.waybill), { clock: world.clock, closing: closing.signal });
  onTestFinished(() => {
    closing.abort();
    expect(errors).toEqual([]);
  });
  const env = { port, closing: closing.signal, afterAnswer: () => {}, cutOff: () => {} };
  const open = async (path: string, headers: Record<string, string> = {}) => {
    const all = { host: `127.0.0.1:${port}`, authorization: `Bearer ${token}`, ...headers };
    const answer = await app.request(`/opencode${path}`, { headers: all }, env);
    const heard: Heard[] = [];
    const parser = createParser({ onEvent: ({ id, data }) => heard.push({ id, data: JSON.parse(data) }) });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    const reading = (async () => {
      for (;;) {
        const { value, done } = (await reader?.read()) ?? { done: true };
        if (done || value === undefined) return;
        parser.feed(value);
      }
    })();
    await settled();
    return { answer, heard, reading };
  };
  return { open, closing };
}

/** Git looks up the project, which takes real time. */
async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setImmediate(resolve));
}

const typesOf = (heard: readonly Heard[]) => heard.map(({ data }) => data.type);

test("a stream opens with server.connected, and stays alive with heartbeats", async () => {
  const world = await startWorld();
  const { answer, heard } = await apiOf(world).open("/event");
  expect(answer.headers.get("content-type")).toMatch("text/event-stream");
  await world.clock.advance(10_000);
  await world.clock.advance(10_000);
  expect(typesOf(heard)).toEqual(["server.connected", "server.heartbeat", "server.heartbeat"]);
  expect(heard[0]?.id).toBeTruthy();
  expect(heard[0]?.data).toMatchObject({ id: expect.stringMatching(/^evt_/), properties: {} });
});

test("heartbeats come every ten seconds, even between other events", async () => {
  const world = await startWorld({ script: { always: [{ steps: [{ wait: 8000 }, { say: "Well." }] }] } });
  const { heard } = await apiOf(world).open("/event");
  await world.clock.advance(7000);
  await world.send({ id: "m1" });
  await world.clock.advance(2999);
  expect(typesOf(heard)).not.toContain("server.heartbeat");
  await world.clock.advance(1);
  await world.clock.advance(9999);
  expect(typesOf(heard).filter((type) => type === "server.heartbeat")).toHaveLength(1);
  await world.clock.advance(1);
  expect(typesOf(heard).filter((type) => type === "server.heartbeat")).toHaveLength(2);
});

test("the global stream wraps each event with its directory", async () => {
  const world = await startWorld({ script });
  const { heard } = await apiOf(world).open("/global/event");
  await world.send({ id: "m1" });
  await world.reaches("m1", "responded");
  await until(() => heard.length > 1);
  expect(heard[0]?.data).toMatchObject({ payload: { type: "server.connected", properties: {} } });
  expect(heard[1]?.data).toMatchObject({ directory: "/tmp", payload: { id: expect.stringMatching(/^evt_/) } });
});

test("only the global stream sends a snapshot to a client without a cursor", async () => {
  const world = await startWorld({ script });
  const { open } = apiOf(world);
  await world.send({ id: "m1" });
  await world.reaches("m1", "responded");
  const { heard } = await open("/global/event");
  const payloads = () => heard.map(({ data }) => (data.payload as { type: string }).type);
  await until(() => payloads().includes("session.status"));
  expect(payloads().slice(0, 3)).toEqual(["server.connected", "session.updated", "message.updated"]);
  const ids = heard.map(({ id }) => id);
  expect([ids.slice(0, -1).filter(Boolean), Boolean(ids.at(-1))]).toEqual([[], true]);
  const resumed = await open("/global/event", { "last-event-id": ids.at(-1) ?? "" });
  const plain = await open("/event");
  for (const one of [resumed, plain]) expect(one.heard).toHaveLength(1);
});

test("a client gets only its own directory's events, named by query or by encoded header, and resumes where it was", async () => {
  const lanes = [
    { id: "one", directory: "/one place" },
    { id: "two", directory: "/two" },
  ];
  const world = await startWorld({ script, lanes });
  const { open } = apiOf(world);
  const byQuery = await open("/event?directory=/one%20place");
  const byHeader = await open("/event", { "x-opencode-directory": "%2Fone%20place" });
  const two = await open("/event?directory=/two");
  await world.send({ id: "m1", to: { lane: "one" } });
  await world.clock.until(async () => (await world.delivery("m1", "one")).status === "responded");
  for (const { heard } of [byQuery, byHeader]) await until(() => typesOf(heard).includes("session.idle"));
  expect(byHeader.heard.slice(1)).toEqual(byQuery.heard.slice(1));
  expect(typesOf(two.heard)).toEqual(["server.connected"]);
  const last = byQuery.heard.at(-3)?.id ?? "";
  const again = await open(`/event?directory=/one%20place&lastEventId=${last}`);
  const header = await open("/event?directory=/one%20place", { "last-event-id": last });
  for (const { heard } of [again, header]) {
    await until(() => heard.length > 2);
    expect(heard.slice(1).map(({ data }) => data)).toEqual(byQuery.heard.slice(-2).map(({ data }) => data));
  }
});

test("a client with an id of an earlier version is told to reload everything, even if it disconnects immediately", async () => {
  const world = await startWorld({ script });
  const { open } = apiOf(world);
  const [events, lanes] = ["e1.3", "v1.2"].map((cursor) => Buffer.from(cursor).toString("base64url"));
  const first = await open("/event", { "last-event-id": `${events}.1.${lanes}` });
  const again = await open("/event", { "last-event-id": first.heard[0]?.id ?? "" });
  for (const { heard } of [first, again]) {
    await until(() => heard.length > 1);
    expect(typesOf(heard.slice(0, 2))).toEqual(["server.connected", "server.instance.disposed"]);
    expect(heard[1]?.data).toMatchObject({ properties: { directory: "/tmp" } });
  }
  await world.send({ id: "m1" });
  await world.reaches("m1", "responded");
  for (const { heard } of [first, again]) await until(() => typesOf(heard).includes("session.idle"));
});

test("streams end with the server", async () => {
  const world = await startWorld();
  const { open, closing } = apiOf(world);
  const { reading, heard } = await open("/event");
  closing.abort();
  await reading;
  await world.clock.advance(20_000);
  expect(typesOf(heard)).toEqual(["server.connected"]);
  expect(getEventListeners(closing.signal, "abort")).toEqual([]);
});

test("a refused stream leaves no listeners behind", async () => {
  const world = await startWorld();
  const { open, closing } = apiOf(world);
  await open("/event");
  const listeners = () => getEventListeners(closing.signal, "abort").length;
  const before = listeners();
  for (const id of ["nonsense", "a.0.b"]) {
    const { answer } = await open("/event", { "last-event-id": id });
    expect(answer.status).toBe(400);
  }
  expect(listeners()).toBe(before);
});
