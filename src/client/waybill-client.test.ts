import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Answerer, ScriptedServer } from "../../test/support/agents/scripted-server.ts";
import { cutOff, frame, frames, json, scriptedServer } from "../../test/support/agents/scripted-server.ts";
import { WaybillClient } from "./waybill-client.ts";

let server: ScriptedServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function clientOf(...answers: Answerer[]) {
  server = await scriptedServer(...answers);
  return new WaybillClient({ url: server.url, token: "secret" });
}

const sent = (status = "pending") => ({ messageId: "m1", deliveryId: "d1", status });
const bodies = () => server?.asked.map(({ body }) => (body === "" ? null : JSON.parse(body)));
const paths = () => server?.asked.map(({ method, path }) => `${method} ${path}`);

describe("storing a file", () => {
  const file = { id: "5f70", name: "a b.csv", mimeType: "text/csv", size: 5 };

  test.each([
    ["bytes", new TextEncoder().encode("a,b,c"), "text/csv", "text/csv"],
    ["a blob with its own type", new Blob(["a,b,c"], { type: "text/csv" }), undefined, "text/csv"],
    ["a blob without a type", new Blob(["a,b,c"]), undefined, "application/octet-stream"],
  ])("sends %s unchanged, and is repeated when the daemon dies", async (_, content, mimeType, type) => {
    const client = await clientOf(cutOff, json(201, file));
    expect(await client.attach(content, { name: "a b.csv", mimeType })).toEqual(file);
    expect(
      server?.asked.map(({ method, path, headers, body }) => [method, path, headers["content-type"], body]),
    ).toEqual(Array.from({ length: 2 }, () => ["POST", "/v1/attachments?name=a+b.csv", type, "a,b,c"]));
  });
});

describe("sending", () => {
  test("is repeated under the same id when the daemon dies mid-request or cannot take it now", async () => {
    const busy = json(503, { error: { code: "store_unwritable", message: "The disk is full." } });
    const client = await clientOf(cutOff, busy, json(202, sent()));
    expect(await client.send({ to: { lane: "chat" }, text: "hello" })).toMatchObject({ deliveryId: "d1" });
    const ids = bodies()?.map(({ messageId }) => messageId);
    expect(ids?.[0]).toMatch(/^msg-[0-9a-f]{32}$/);
    expect(ids).toEqual([ids?.[0], ids?.[0], ids?.[0]]);
  });

  test("waits while the daemon drains before a restart", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let tries = 0;
    const fetch = async () => {
      tries += 1;
      if (tries > 30) return Response.json(sent(), { status: 202 });
      return Response.json({ error: { code: "draining", message: "About to end." } }, { status: 503 });
    };
    const client = new WaybillClient({ url: "http://daemon", fetch });
    const sending = client.send({ to: { lane: "chat" }, text: "hello" });
    sending.catch(() => {});
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await sending).toMatchObject({ deliveryId: "d1" });
    expect(tries).toBe(31);
  });

  test("keeps an id that was given", async () => {
    const client = await clientOf(json(202, sent()));
    await client.send({ to: { lane: "chat" }, text: "hello", messageId: "mine" });
    expect(bodies()).toEqual([{ to: { lane: "chat" }, text: "hello", messageId: "mine" }]);
    expect(server?.asked[0]?.headers.authorization).toBe("Bearer secret");
  });

  test("is not repeated when the daemon refuses it", async () => {
    const client = await clientOf(
      json(409, { error: { code: "message_conflict", message: "Taken.", hint: "Another." } }),
    );
    await expect(client.send({ to: { lane: "chat" }, text: "hello" })).rejects.toMatchObject({
      name: "WaybillError",
      code: "message_conflict",
      message: "Taken.",
      hint: "Another.",
      status: 409,
    });
    expect(server?.asked).toHaveLength(1);
  });

  test("without a daemon fails with no_daemon after a few tries", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let tries = 0;
    const fetch = () => {
      tries += 1;
      return Promise.reject(new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } }));
    };
    const client = new WaybillClient({ url: "http://daemon", fetch });
    const failed = client.send({ to: { lane: "chat" }, text: "hello" }).catch((error) => error);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await failed).toMatchObject({ code: "no_daemon", hint: expect.stringContaining("waybill up") });
    expect(tries).toBe(5);
  });

  test("stops when the signal of the connection is aborted", async () => {
    server = await scriptedServer(() => stop.abort("enough"));
    const stop = new AbortController();
    const client = new WaybillClient({ url: server.url, signal: stop.signal });
    await expect(client.send({ to: { lane: "chat" }, text: "hello" })).rejects.toBe("enough");
    expect(server.asked).toHaveLength(1);
  });
});

describe("other requests", () => {
  test("a change whose connection broke is not repeated, because it may have been made", async () => {
    const client = await clientOf(cutOff, json(200, sent("cancelled")));
    await expect(client.cancel("d1")).rejects.toMatchObject({ code: "connection_lost" });
    expect(paths()).toEqual(["POST /v1/deliveries/d1/cancel"]);
  });

  test("signing out returns nothing", async () => {
    const client = await clientOf((_, answer) => void answer.writeHead(204).end());
    expect(await client.logout()).toBeUndefined();
    expect(paths()).toEqual(["POST /v1/logout"]);
  });

  test("unset filters are left out, and lists are joined", async () => {
    const client = await clientOf(json(200, { deliveries: [] }));
    await client.deliveries({ lane: undefined, status: ["pending", "accepted"], limit: 5 });
    await client.messages();
    expect(paths()).toEqual(["GET /v1/deliveries?status=pending%2Caccepted&limit=5", "GET /v1/messages"]);
  });

  test("an answer that did not come from the daemon is reported as unexpected", async () => {
    const client = await clientOf((_asked, response) => void response.writeHead(418).end("<html>"));
    await expect(client.lanes()).rejects.toMatchObject({ code: "unexpected_answer", status: 418 });
  });

  test("an address that is a function is called for every request", async () => {
    server = await scriptedServer(json(200, { lanes: [] }));
    const urls = ["http://127.0.0.1:1", server.url];
    const client = new WaybillClient({ url: () => urls.shift() ?? "" });
    expect(await client.lanes()).toEqual({ lanes: [] });
  });
});

describe("waiting for an outcome", () => {
  const step = (id: string, event: string, status: string, deliveryId = "d1") =>
    frame(id, "delivery", {
      at: "2026-01-31T12:00:00.000Z",
      event,
      reason: null,
      delivery: { id: deliveryId, status },
    });

  /** Answers stream requests with the given connections in order, and other requests by path. */
  function daemon(streams: Answerer[], others: Record<string, Answerer>): Answerer {
    return (asked, response) => {
      const other = Object.entries(others).find(([path]) => asked.path === path);
      const answer = asked.path.startsWith("/v1/stream") ? (streams.shift() ?? cutOff) : (other?.[1] ?? cutOff);
      answer(asked, response);
    };
  }

  test("sends once the stream is open, and reports every step to the end, across a broken connection", async () => {
    const client = await clientOf(
      daemon(
        [
          // The record may be ahead of the step, as here. The wait still ends with the last step.
          frames(
            "breaks",
            frame("c1", "open"),
            step("c2", "submit", "responded"),
            step("c3", "submit", "pending", "d2"),
          ),
          frames("stays", frame("c5", "open"), step("c4", "accepted", "responded"), step("c5", "proven", "responded")),
        ],
        { "/v1/messages": json(202, sent()), "/v1/deliveries/d1": json(200, { id: "d1", status: "responded" }) },
      ),
    );
    const steps: string[] = [];
    const delivery = await client.sendAndWait(
      { to: { lane: "chat" }, text: "hello" },
      { onSent: ({ messageId }) => steps.push(messageId), onEvent: ({ event }) => steps.push(event) },
    );
    expect(delivery).toEqual({ id: "d1", status: "responded" });
    expect(steps).toEqual(["m1", "submit", "accepted", "proven"]);
    expect(paths()?.slice(0, 2)).toEqual(["GET /v1/stream?lane=chat&types=delivery", "POST /v1/messages"]);
  });

  test("ends immediately for a delivery that ended between the first request and the stream", async () => {
    const states = ["accepted", "cancelled", "cancelled"];
    const client = await clientOf(
      daemon([frames("stays", frame("c1", "open"))], {
        "/v1/deliveries/d1": (asked, response) =>
          json(200, { id: "d1", deliveryId: "d1", lane: "chat", status: states.shift() })(asked, response),
      }),
    );
    expect(await client.wait("d1")).toMatchObject({ status: "cancelled" });
  });

  test("ends immediately for a delivery that ended before, even if its lane was removed", async () => {
    const client = await clientOf(
      daemon([json(404, { error: { code: "lane_unknown", message: "There is no lane." } })], {
        "/v1/deliveries/d1": json(200, { id: "d1", deliveryId: "d1", lane: "removed", status: "cancelled" }),
      }),
    );
    expect(await client.wait("d1")).toMatchObject({ status: "cancelled" });
  });

  test("reads the delivery again when the stream could not resume", async () => {
    const states = ["accepted", "accepted", "failed_terminal"];
    const client = await clientOf(
      daemon([frames("stays", frame("c1", "open"), frame("c9", "reset"))], {
        "/v1/deliveries/d1": (asked, response) =>
          json(200, { id: "d1", deliveryId: "d1", lane: "chat", status: states.shift() })(asked, response),
      }),
    );
    expect(await client.wait("d1")).toMatchObject({ status: "failed_terminal" });
  });

  test("can be aborted, with the signal's reason", async () => {
    const stop = new AbortController();
    const client = await clientOf(
      daemon([frames("stays", frame("c1", "open"), step("c2", "accepted", "accepted"))], {
        "/v1/messages": json(202, sent()),
      }),
    );
    const waiting = client.sendAndWait(
      { to: { team: "core", member: "tom" }, text: "hello" },
      { signal: stop.signal, onEvent: () => stop.abort("enough") },
    );
    await expect(waiting).rejects.toBe("enough");
    expect(paths()).toEqual(["GET /v1/stream?types=delivery", "POST /v1/messages"]);
  });
});
