import { connect } from "node:net";
import { createParser } from "eventsource-parser";
import { describe, expect, it, onTestFinished } from "vitest";
import { anApi, served, token } from "../../../test/support/http-api.ts";
import { aMessage } from "../../../test/support/records.ts";
import type { TestService } from "../../../test/support/test-service.ts";
import { testService } from "../../../test/support/test-service.ts";
import { streamEventSchema } from "./schemas.ts";

type Seen = { id: string | undefined; event: string | undefined; data: Record<string, unknown> };

/** A client that reads when it is told to. */
async function follow(url: string, path = "/v1/stream", headers: Record<string, string> = {}) {
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const answer = await fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: leave.signal,
  });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  const events: Seen[] = [];
  const comments: string[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) => events.push({ id, event, data: JSON.parse(data) }),
    onComment: (comment) => comments.push(comment),
  });
  /** Reads until that holds; false when the stream ended before. */
  const until = async (holds: () => boolean): Promise<boolean> => {
    while (!holds()) {
      const chunk = await reader?.read();
      if (!chunk || chunk.done) return false;
      parser.feed(chunk.value);
    }
    return true;
  };
  return { answer, events, comments, until, leave: () => leave.abort(), ids: () => events.map(({ id }) => id) };
}

const say = (service: TestService, id: string, lane = "demo") =>
  service.send({ id, to: { lane }, from: "user", text: "hello" });

const messageIds = (events: readonly Seen[]) =>
  events.filter(({ event }) => event === "message").map(({ data }) => (data.message as { id: string }).id);

describe("the stream", () => {
  it("is open at once, and says where it began", async () => {
    const { listening, service } = await served();
    await say(service, "before");
    const client = await follow(listening.url);
    await client.until(() => client.events.length === 1);
    expect(client.answer.headers.get("content-type")).toContain("text/event-stream");
    expect(client.comments).toEqual(["open"]);
    expect(client.events[0]).toMatchObject({ id: await service.now(), event: "open", data: { type: "open" } });
  });

  it("brings what happens, in order, in its shape", async () => {
    const { listening, service } = await served();
    const client = await follow(listening.url);
    await client.until(() => client.events.length === 1);
    await say(service, "m1");
    await say(service, "m2");
    await service.removeLane("demo", true);
    await client.until(() => client.events.some(({ event }) => event === "lane"));
    expect(messageIds(client.events)).toEqual(["m1", "m2"]);
    for (const { id, event, data } of client.events) {
      expect(streamEventSchema.parse(data)).toStrictEqual(data);
      expect([event, typeof id]).toEqual([data.type, "string"]);
    }
  });

  it("goes on after the last event that was seen, without a gap and without a repetition", async () => {
    const { listening, service } = await served();
    const first = await follow(listening.url);
    await first.until(() => first.events.length === 1);
    await say(service, "m1");
    await say(service, "m2");
    await first.until(() => messageIds(first.events).length === 2);
    first.leave();
    await say(service, "m3");
    const lastSeen = first.events[1]?.id ?? "";
    const second = await follow(listening.url, "/v1/stream", { "last-event-id": lastSeen });
    const third = await follow(listening.url, `/v1/stream?lastEventId=${lastSeen}`);
    for (const client of [second, third]) {
      await client.until(() => messageIds(client.events).length === 2);
      expect(messageIds(client.events)).toEqual(["m2", "m3"]);
    }
  });

  it("can be resumed from its opening alone", async () => {
    const { listening, service } = await served();
    const first = await follow(listening.url);
    await first.until(() => first.events.length === 1);
    first.leave();
    await say(service, "m1");
    const second = await follow(listening.url, "/v1/stream", { "last-event-id": first.events[0]?.id ?? "" });
    await second.until(() => messageIds(second.events).length === 1);
    expect(messageIds(second.events)).toEqual(["m1"]);
  });

  it("can be of one lane", async () => {
    const { listening, service } = await served({ service: testService(["demo", "other"]) });
    const client = await follow(listening.url, "/v1/stream?lane=demo");
    await client.until(() => client.events.length === 1);
    await say(service, "m1", "other");
    await say(service, "m2", "demo");
    await client.until(() => messageIds(client.events).length === 1);
    expect(messageIds(client.events)).toEqual(["m2"]);
  });

  it("a cursor that nobody made is refused before it begins", async () => {
    const { ask, service } = anApi();
    for (const path of ["/v1/stream?lastEventId=zzz", "/v1/stream?lane=demo&lastEventId=zzz"]) {
      const answer = await ask(path);
      expect([answer.status, answer.json()]).toMatchObject([400, { error: { code: "cursor_invalid" } }]);
    }
    expect(service.following).toBe(0);
  });

  it("shows that it lives while nothing happens", async () => {
    const { listening } = await served({ heartbeatMs: 5 });
    const client = await follow(listening.url);
    await client.until(() => client.comments.length === 4);
    expect(client.comments).toEqual(["open", "still here", "still here", "still here"]);
  });

  it("loses nothing to a heartbeat", async () => {
    const { listening, service } = await served({ heartbeatMs: 1 });
    const client = await follow(listening.url);
    for (let count = 1; count <= 20; count++) {
      await say(service, `m${count}`);
      const beats = client.comments.length;
      await client.until(() => client.comments.length > beats);
    }
    await client.until(() => messageIds(client.events).length === 20);
    expect(messageIds(client.events)).toEqual(Array.from({ length: 20 }, (_, index) => `m${index + 1}`));
  });

  it("leaves nothing behind when its reader goes", async () => {
    const { listening, service, ask } = await served();
    const client = await follow(listening.url);
    await client.until(() => client.events.length === 1);
    expect(service.following).toBe(1);
    expect((await ask("/metrics")).body).toContain("waybill_stream_clients 1");
    client.leave();
    await expect.poll(() => service.following).toBe(0);
    expect((await ask("/metrics")).body).toContain("waybill_stream_clients 0");
  });

  it("ends in good order when the server closes", async () => {
    const { listening, service } = await served();
    const client = await follow(listening.url);
    await client.until(() => client.events.length === 1);
    await listening.close();
    expect(await client.until(() => false)).toBe(false);
    expect(service.following).toBe(0);
  });

  it("ends, and tells the log, when the service fails", async () => {
    const { listening, service, errors } = await served();
    const trouble = new Error("the store went away");
    service.follow = async function* () {
      yield { cursor: "c1", at: 0, laneId: null, type: "reset" };
      throw trouble;
    };
    const client = await follow(listening.url);
    expect(await client.until(() => false)).toBe(false);
    expect(client.events.map(({ event }) => event)).toEqual(["open", "reset"]);
    expect(errors).toEqual([trouble]);
  });

  it("a reader that does not read holds up only itself", async () => {
    const { listening, service } = await served();
    const text = "x".repeat(50_000);
    const message = { ...aMessage({ id: "m", text }), readAt: null };
    const [from, real] = [await service.now(), service.follow];
    let taken = 0;
    service.follow = async function* (options) {
      if (options.after !== from) return yield* real(options);
      for (; taken < 4000; taken++) yield { type: "message", cursor: from, at: 0, laneId: "demo", message };
    };
    await say(service, "later");
    const socket = connect(listening.port, "127.0.0.1").pause();
    onTestFinished(() => void socket.destroy());
    socket.write(
      `GET /v1/stream?lastEventId=${from} HTTP/1.1\r\nHost: 127.0.0.1:${listening.port}\r\n` +
        `Authorization: Bearer ${token}\r\n\r\n`,
    );
    await expect.poll(() => taken).toBeGreaterThan(0);
    const client = await follow(listening.url);
    await say(service, "other");
    await client.until(() => messageIds(client.events).includes("other"));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(taken).toBeLessThan(2000);
  });

  it("asked for by HEAD it follows nothing", async () => {
    const { ask, service } = anApi();
    expect((await ask("/v1/stream", { method: "HEAD" })).status).toBe(200);
    expect(service.following).toBe(0);
  });
});
