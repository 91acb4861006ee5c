import { connect } from "node:net";
import { createParser } from "eventsource-parser";
import { describe, expect, it, onTestFinished } from "vitest";
import { anEvent } from "../../../test/support/core/events.ts";
import { aMessage, deliveryOf } from "../../../test/support/core/records.ts";
import { anApi, served, token } from "../../../test/support/daemon/http-api.ts";
import type { TestService } from "../../../test/support/daemon/test-service.ts";
import { testService } from "../../../test/support/daemon/test-service.ts";
import { logTypes } from "../../core/log/log-item.ts";
import { streamEventSchema } from "./event-schemas.ts";

type Seen = { id: string | undefined; event: string | undefined; data: Record<string, unknown> };

/** A client that reads only on demand. */
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
  /** Reads until `holds` returns true; false if the stream ends first. */
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
  it("opens immediately, with the cursor where it began", async () => {
    const { listening, service } = await served();
    await say(service, "before");
    const client = await follow(listening.url);
    await client.until(() => client.events.length === 1);
    expect(client.answer.headers.get("content-type")).toContain("text/event-stream");
    expect(client.comments).toEqual(["open"]);
    expect(client.events[0]).toMatchObject({ id: service.logEnd(), event: "open", data: { type: "open" } });
  });

  it("sends events in order, in their documented format", async () => {
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

  it("resumes after the last event seen, without gaps or repetitions", async () => {
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

  it("can be resumed from its `open` event", async () => {
    const { listening, service } = await served();
    const first = await follow(listening.url);
    await first.until(() => first.events.length === 1);
    first.leave();
    await say(service, "m1");
    const second = await follow(listening.url, "/v1/stream", { "last-event-id": first.events[0]?.id ?? "" });
    await second.until(() => messageIds(second.events).length === 1);
    expect(messageIds(second.events)).toEqual(["m1"]);
  });

  it("can be filtered by lane", async () => {
    const { listening, service } = await served({ service: testService(["demo", "other"]) });
    const client = await follow(listening.url, "/v1/stream?lane=demo");
    await client.until(() => client.events.length === 1);
    await say(service, "m1", "other");
    await say(service, "m2", "demo");
    await client.until(() => messageIds(client.events).length === 1);
    expect(messageIds(client.events)).toEqual(["m2"]);
  });

  describe("with a list of types", () => {
    /** The types sent for a turn, a message and a pause. A resumed stream sends the same except for deltas. */
    async function seenWith(types: string, count: number): Promise<(string | undefined)[]> {
      const { listening, service } = await served();
      const client = await follow(listening.url, `/v1/stream?types=${types}`);
      await client.until(() => client.events.length === 1);
      const during = { lane: "demo", turn: 1 };
      service.publish(
        anEvent({ ...during, seq: 1 }, { type: "turn.started", data: { prompt: null } }),
        anEvent(
          { ...during, seq: 1 },
          { type: "item.delta", data: { item: "a", part: "p", kind: "text", text: "Well" } },
        ),
        anEvent({ ...during, seq: 2 }, { type: "turn.ended", data: { reason: "completed", error: null, queued: 0 } }),
      );
      await say(service, "m1");
      await service.pause("demo", "later");
      await client.until(() => client.events.length > count);
      const rest = await follow(listening.url, `/v1/stream?types=${types}`, { "last-event-id": client.ids()[0] ?? "" });
      const kept = client.events.slice(1).filter(({ id }) => id !== undefined);
      await rest.until(() => rest.events.length === kept.length);
      expect(rest.events).toEqual(kept);
      return client.events.slice(1).map(({ event }) => event);
    }

    it("sends only that type", async () => {
      expect(await seenWith("lane", 1)).toEqual(["lane"]);
      expect(await seenWith("turn.ended", 1)).toEqual(["turn.ended"]);
    });

    it("sends several types, in order", async () => {
      expect(await seenWith("lane,message,turn.started", 3)).toEqual(["turn.started", "message", "lane"]);
    });

    it("sends all events of agents for `events`, also in combination with other types", async () => {
      expect(await seenWith("events", 3)).toEqual(["turn.started", "item.delta", "turn.ended"]);
      const all = ["turn.started", "item.delta", "turn.ended", "lane"];
      expect(await seenWith("lane,events", 4)).toEqual(all);
    });

    it("refuses an unknown type, and lists the known ones", async () => {
      const { ask, service } = anApi();
      for (const types of ["deliveries", "lane,turn", "lane,", ""]) {
        const answer = await ask(`/v1/stream?types=${types}`);
        expect([types, answer.status, answer.json()]).toMatchObject([
          types,
          400,
          { error: { code: "invalid_request" } },
        ]);
        for (const name of [...logTypes, "events"]) expect(answer.body).toContain(name);
      }
      expect(service.following).toBe(0);
    });
  });

  it("sends deliveries and agents' events in one order, and each of its cursors resumes both", async () => {
    const { listening, service } = await served();
    const client = await follow(listening.url);
    await client.until(() => client.events.length === 1);
    const agentDoes = (seq: number) => service.publish(anEvent({ seq, lane: "demo" }));
    agentDoes(1);
    const record = deliveryOf(await say(service, "m1"));
    agentDoes(2);
    await service.withdraw("m1");
    agentDoes(3);
    await service.pause("demo", "later");
    await client.until(() => client.events.at(-1)?.event === "lane");
    const told = ({ event, data }: Seen) => (event === "error" ? `event ${data.seq}` : `${event} ${data.event ?? ""}`);
    expect(client.events.slice(1).map(told)).toEqual([
      "event 1",
      "message ",
      "delivery admitted",
      "event 2",
      "delivery withdrawn",
      "event 3",
      "lane ",
    ]);
    expect(client.events.filter(({ event }) => event === "delivery").map(({ data }) => data.delivery)).toMatchObject([
      { deliveryId: record.id },
      { deliveryId: record.id },
    ]);
    const ids = client.ids();
    expect(new Set(ids).size).toBe(ids.length);
    for (const [index, id] of ids.entries()) {
      const again = await follow(listening.url, "/v1/stream", { "last-event-id": id ?? "" });
      const rest = ids.slice(index + 1);
      await again.until(() => again.events.length === rest.length);
      expect(again.ids()).toEqual(rest);
      again.leave();
    }
  });

  it("a cursor of an earlier version gets a reset with the lanes, then everything that is kept", async () => {
    const { listening, service } = await served({ service: testService(["demo", "other"]) });
    await say(service, "m1");
    for (const before of ["v1.3", "e1.3"]) {
      const cursor = Buffer.from(before).toString("base64url");
      const client = await follow(listening.url, "/v1/stream?types=message", { "last-event-id": cursor });
      await client.until(() => messageIds(client.events).length === 1);
      expect(client.events.map(({ event }) => event)).toEqual(["reset", "message"]);
      const [reset] = client.events;
      expect(streamEventSchema.parse(reset?.data)).toStrictEqual(reset?.data);
      expect(reset?.data.lanes).toMatchObject([
        { id: "demo", waiting: 1 },
        { id: "other", waiting: 0 },
      ]);
      const again = await follow(listening.url, "/v1/stream?types=message", { "last-event-id": reset?.id ?? "" });
      await again.until(() => again.events.length === 1);
      expect(again.ids()).toEqual([client.ids()[1]]);
    }
  });

  it("refuses an invalid cursor before it begins", async () => {
    const { ask, service } = anApi();
    for (const path of ["/v1/stream?lastEventId=zzz", "/v1/stream?lane=demo&lastEventId=zzz"]) {
      const answer = await ask(path);
      expect([answer.status, answer.json()]).toMatchObject([400, { error: { code: "cursor_invalid" } }]);
    }
    expect(service.following).toBe(0);
  });

  it("sends heartbeats while nothing happens", async () => {
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

  it("cleans up when its reader disconnects", async () => {
    const { listening, service, ask } = await served();
    const client = await follow(listening.url);
    await client.until(() => client.events.length === 1);
    expect(service.following).toBe(1);
    expect((await ask("/metrics")).body).toContain("waybill_stream_clients 1");
    client.leave();
    await expect.poll(() => service.following).toBe(0);
    expect((await ask("/metrics")).body).toContain("waybill_stream_clients 0");
  });

  it("ends cleanly when the server closes", async () => {
    const { listening, service } = await served();
    const client = await follow(listening.url);
    await client.until(() => client.events.length === 1);
    await listening.close();
    expect(await client.until(() => false)).toBe(false);
    expect(service.following).toBe(0);
  });

  it("ends and logs the error when the service fails", async () => {
    const { listening, service, errors } = await served();
    const trouble = new Error("the store went away");
    service.follow = async function* () {
      yield { type: "reset", cursor: "c1", at: 0 };
      throw trouble;
    };
    const client = await follow(listening.url);
    expect(await client.until(() => false)).toBe(false);
    expect(client.events.map(({ event }) => event)).toEqual(["open", "reset"]);
    expect(errors).toEqual([trouble]);
  });

  it("a client that does not read delays only itself", async () => {
    const { listening, service } = await served();
    const text = "x".repeat(50_000);
    const message = { ...aMessage({ id: "m", text }), readAt: null };
    const [from, real] = [service.logEnd(), service.follow];
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

  it("follows nothing on a HEAD request", async () => {
    const { ask, service } = anApi();
    expect((await ask("/v1/stream", { method: "HEAD" })).status).toBe(200);
    expect(service.following).toBe(0);
  });
});
