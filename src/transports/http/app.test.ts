import { describe, expect, it } from "vitest";
import { toPerson } from "../../../test/support/core/deliveries.ts";
import { about, anApi } from "../../../test/support/daemon/http-api.ts";
import { AppError } from "../../platform/app-error.ts";

const send = { to: { lane: "demo" }, text: "What is the answer?" };

describe("a response", () => {
  it("is sent once everything it may have read is durable, and is an error when that fails", async () => {
    const { ask, service } = anApi();
    const order: string[] = [];
    service.settled = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push("durable");
    };
    const { status } = await ask("/v1/deliveries");
    order.push(`answered ${status}`);
    expect(order).toEqual(["durable", "answered 200"]);
    service.settled = () => Promise.reject(new AppError({ code: "store_unwritable", message: "no", retryable: true }));
    expect(await ask("/v1/deliveries")).toMatchObject({ status: 503 });
  });
});

describe("messages", () => {
  it("a message is admitted with 202 and the details its sender needs", async () => {
    const { ask, service } = anApi();
    const answer = await ask("/v1/messages", { method: "POST", json: { ...send, messageId: "m1" } });
    expect(answer.status).toBe(202);
    expect(answer.json()).toMatchObject({
      messageId: "m1",
      status: "pending",
      responseState: "not_observed",
      responsePending: true,
      acceptanceUnknown: false,
      diagnostics: [],
    });
    const { items } = await service.messages({ limit: 10 });
    const recipient = { kind: "lane", lane: "demo" };
    expect(items).toMatchObject([{ id: "m1", from: "user", source: "manual", recipient }]);
  });

  it("a queued message names the message ahead of it", async () => {
    const { ask } = anApi();
    await ask("/v1/messages", { method: "POST", json: { ...send, messageId: "m1" } });
    const answer = await ask("/v1/messages", { method: "POST", json: { ...send, messageId: "m2" } });
    expect(answer.json()).toMatchObject({ queuedBehindMessageId: "m1" });
  });

  it("expiresAt reaches the service as a timestamp", async () => {
    const { ask, service } = anApi();
    await ask("/v1/messages", { method: "POST", json: { ...send, expiresAt: "2026-01-31T12:00:00.000Z" } });
    expect(service.sent[0]?.expiresAt).toBe(Date.UTC(2026, 0, 31, 12));
  });

  it("each page continues where the previous one ended", async () => {
    const { ask } = anApi();
    for (const messageId of ["m1", "m2", "m3"]) {
      await ask("/v1/messages", { method: "POST", json: { ...send, messageId } });
    }
    const first = (await ask("/v1/messages?limit=2")).json() as { messages: { id: string }[]; nextCursor: string };
    expect(first.messages.map(({ id }) => id)).toEqual(["m3", "m2"]);
    const second = (await ask(`/v1/messages?limit=2&cursor=${first.nextCursor}`)).json();
    expect(second).toMatchObject({ messages: [{ id: "m1" }] });
    expect(second).not.toHaveProperty("nextCursor");
  });

  it("a blank search is ignored", async () => {
    const { ask } = anApi();
    await ask("/v1/messages", { method: "POST", json: send });
    expect((await ask("/v1/messages?q=%20%20")).json()).toMatchObject({ messages: [{ text: send.text }] });
    expect((await ask("/v1/messages?q=nobody+said+this")).json()).toEqual({ messages: [] });
  });

  it("are found by their id", async () => {
    const { ask } = anApi();
    for (const messageId of ["m1", "m2"]) await ask("/v1/messages", { method: "POST", json: { ...send, messageId } });
    expect((await ask("/v1/messages?messageId=m1")).json()).toMatchObject({ messages: [{ id: "m1", lane: "demo" }] });
    expect((await ask("/v1/messages?messageId=m3")).json()).toEqual({ messages: [] });
  });

  it("include their deliveries on request", async () => {
    const { ask } = anApi();
    for (const messageId of ["m1", "m2", "m3"]) {
      await ask("/v1/messages", { method: "POST", json: { ...send, messageId, text: `Say ${messageId}.` } });
    }
    await ask("/v1/messages", { method: "POST", json: { ...send, to: { person: "ann" }, messageId: "p1" } });
    const of = async (query: string) =>
      ((await ask(`/v1/messages?${query}`)).json() as { deliveries?: { messageId: string }[] }).deliveries;
    expect(await of("limit=3&deliveries=true")).toMatchObject([
      { messageId: "m3", lane: "demo", status: "pending", queuedBehindMessageId: "m1", proof: null, sessionId: null },
      { messageId: "m2", deliveredUserMessageId: null, assistantMessageId: null, heldReason: null },
    ]);
    expect(await of("q=m1&deliveries=true")).toMatchObject([{ messageId: "m1" }]);
    expect(await of("q=nobody+said+this&deliveries=true")).toEqual([]);
    expect([await of("limit=3"), await of("deliveries=false")]).toEqual([undefined, undefined]);
  });

  it("to a person are counted by conversation while unread", async () => {
    const { ask, service } = anApi();
    await service.ready();
    for (const [id, laneId] of [
      ["p1", "demo"],
      ["p2", "demo"],
      ["p3", null],
    ] as const)
      await service.store.admit({ ...toPerson({ id, laneId }), delivery: null, choice: null });
    expect((await ask("/v1/inbox/unread")).json()).toEqual({
      person: "user",
      total: 3,
      lanes: { demo: 2 },
      members: {},
    });
  });

  it("are no longer counted once read", async () => {
    const { ask } = anApi();
    for (const messageId of ["p1", "p2"])
      await ask("/v1/messages", { method: "POST", json: { ...send, to: { person: "ann" }, messageId } });
    const unread = async () => (await ask("/v1/inbox/unread?person=ann")).json();
    expect(await unread()).toEqual({ person: "ann", total: 2, lanes: {}, members: {} });
    await ask("/v1/inbox/read", { method: "POST", json: { person: "ann", ids: ["p1"] } });
    expect(await unread()).toEqual({ person: "ann", total: 1, lanes: {}, members: {} });
  });

  it("a message that was not sent can be withdrawn", async () => {
    const { ask } = anApi();
    await ask("/v1/messages", { method: "POST", json: { ...send, messageId: "m1" } });
    const answer = await ask("/v1/messages/m1?lane=demo", { method: "DELETE" });
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({ status: "cancelled", responsePending: false });
  });
});

describe("deliveries", () => {
  async function withOne() {
    const api = anApi();
    const sent = await api.ask("/v1/messages", { method: "POST", json: { ...send, messageId: "m1" } });
    return { ...api, id: (sent.json() as { deliveryId: string }).deliveryId };
  }

  it("can be filtered by lane, message and several statuses", async () => {
    const { ask, id } = await withOne();
    const found = { deliveries: [{ id, lane: "demo" }] };
    expect((await ask("/v1/deliveries?lane=demo&messageId=m1&status=pending,accepted")).json()).toMatchObject(found);
    expect((await ask("/v1/deliveries?status=responded")).json()).toEqual({ deliveries: [] });
  });

  it("are found by words, and a blank search is ignored", async () => {
    const { ask, id } = await withOne();
    for (const q of ["m1", "DEMO%20pend", id.slice(0, 8), "%20"])
      expect([q, (await ask(`/v1/deliveries?q=${q}`)).json()]).toMatchObject([q, { deliveries: [{ id }] }]);
    expect((await ask("/v1/deliveries?q=responded")).json()).toEqual({ deliveries: [] });
  });

  it("show their message, audit and next step", async () => {
    const { ask, id } = await withOne();
    expect((await ask(`/v1/deliveries/${id}`)).json()).toMatchObject({
      message: { id: "m1", text: send.text },
      audit: [{ event: "admitted", by: null }],
      attemptList: [],
      evidence: { proof: null },
      next: { step: "sends" },
    });
  });

  it("cancel responds with 202 and the delivery", async () => {
    const { ask, id } = await withOne();
    const answer = await ask(`/v1/deliveries/${id}/cancel`, { method: "POST" });
    expect(answer.status).toBe(202);
    expect(answer.json()).toMatchObject({ id, status: "cancelled" });
  });

  it("retrying a delivery that has not failed is a conflict", async () => {
    const { ask, id } = await withOne();
    expect((await ask(`/v1/deliveries/${id}/retry`, { method: "POST" })).status).toBe(409);
  });
});

describe("lanes and asks", () => {
  it("a lane is created, shown, paused, resumed and removed", async () => {
    const { ask } = anApi();
    const made = await ask("/v1/lanes", { method: "POST", json: { id: "docs", directory: "/tmp" } });
    expect(made.status).toBe(201);
    expect(made.json()).toMatchObject({ id: "docs", contract: "text", holder: null, waiting: 0 });
    expect((await ask("/v1/lanes")).json()).toMatchObject({ lanes: [{ id: "demo" }, { id: "docs" }] });
    const paused = await ask("/v1/lanes/docs/pause", { method: "POST", json: { reason: "holiday" } });
    expect(paused.json()).toMatchObject({ pausedReason: "holiday" });
    expect((await ask("/v1/lanes/docs/resume", { method: "POST" })).json()).toMatchObject({ pausedReason: null });
    for (const verb of ["abort", "release"]) {
      expect((await ask(`/v1/lanes/docs/${verb}`, { method: "POST" })).status).toBe(200);
    }
    const removed = await ask("/v1/lanes/docs", { method: "DELETE" });
    expect([removed.status, removed.body]).toEqual([204, ""]);
    expect((await ask("/v1/lanes/docs")).status).toBe(404);
  });

  it("a lane adopts an existing session, unless it belongs to another lane", async () => {
    const { ask } = anApi();
    await ask("/v1/lanes", { method: "POST", json: { id: "docs", directory: "/tmp" } });
    const adopt = (lane: string, sessionId: string) =>
      ask(`/v1/lanes/${lane}/session`, { method: "POST", json: { sessionId } });
    const adopted = await adopt("docs", "ses_1");
    expect([adopted.status, adopted.json()]).toMatchObject([200, { id: "docs", sessionId: "ses_1", generation: 1 }]);
    const taken = await adopt("demo", "ses_1");
    expect([taken.status, taken.json()]).toMatchObject([409, { error: { code: "session_in_use" } }]);
    for (const bad of ["", "../x", "a b", "x".repeat(129)]) expect((await adopt("docs", bad)).status).toBe(400);
  });

  it("pausing needs no body", async () => {
    const { ask } = anApi();
    const paused = await ask("/v1/lanes/demo/pause", { method: "POST" });
    expect(paused.json()).toMatchObject({ pausedReason: "paused_by_person" });
  });

  it("a lane with open deliveries is removed only by force", async () => {
    const { ask } = anApi();
    await ask("/v1/messages", { method: "POST", json: send });
    expect((await ask("/v1/lanes/demo?force=false", { method: "DELETE" })).status).toBe(409);
    expect((await ask("/v1/lanes/demo?force=true", { method: "DELETE" })).status).toBe(204);
  });

  it("runtimes are listed with their running processes", async () => {
    const { ask, service } = anApi();
    const shared = { ready: true, takesSystem: true };
    service.runtimes = async (directory) => [
      { kind: "stub", ...shared, isDefault: true, models: [directory ?? "none"] },
      { kind: "pi", ...shared, isDefault: false, models: [] },
    ];
    const program = {
      ...{ pid: 7, laneId: "demo", sessionId: "s", directory: "/tmp", version: "1.2.3", startedAt: 0 },
      ...{ restarts: 2, events: "reconnecting" as const },
    };
    service.programs = async () => ({ stub: { problem: "It is on holiday.", programs: [program] } });
    const { laneId: lane, ...shown } = program;
    expect((await ask("/v1/runtimes")).json()).toEqual({
      runtimes: [
        {
          ...{ kind: "stub", ...shared, isDefault: true, models: ["none"], reason: "It is on holiday." },
          programs: [{ ...shown, lane, startedAt: "1970-01-01T00:00:00.000Z" }],
        },
        { kind: "pi", ...shared, isDefault: false, models: [], reason: null, programs: [] },
      ],
    });
    expect((await ask("/v1/runtimes?directory=/srv")).json()).toMatchObject({ runtimes: [{ models: ["/srv"] }, {}] });
  });

  it("lists the directories in a path, or the allowed directories without one", async () => {
    const { ask, service } = anApi();
    const asked: unknown[] = [];
    const list = { path: "/srv", parent: null, roots: ["/srv"], directories: [], truncated: false };
    service.directories = async (path) => {
      asked.push(path);
      return list;
    };
    expect((await ask("/v1/directories?path=/srv")).json()).toEqual(list);
    expect((await ask("/v1/directories")).status).toBe(200);
    expect(asked).toEqual(["/srv", undefined]);
    for (const query of ["path=", "path=a%00b", `path=${"x".repeat(5000)}`])
      expect((await ask(`/v1/directories?${query}`)).status).toBe(400);
  });

  it("an ask is listed and answered", async () => {
    const { ask, service } = anApi();
    service.announce({ id: "a1", kind: "question", title: "Which?", laneId: "demo", since: 0 });
    expect((await ask("/v1/asks")).json()).toMatchObject({ asks: [{ id: "a1", lane: "demo", kind: "question" }] });
    const answer = { decision: "once", answers: [["this one"]] };
    expect((await ask("/v1/asks/a1", { method: "POST", json: answer })).status).toBe(204);
    expect(service.answers).toEqual([{ id: "a1", decision: answer }]);
  });
});

describe("the program itself", () => {
  it("is alive and ready without a token", async () => {
    const { ask } = anApi();
    const headers = { authorization: null };
    expect((await ask("/health", { headers })).json()).toEqual({ status: "ok" });
    const ready = await ask("/ready", { headers });
    expect([ready.status, ready.json()]).toEqual([200, { ready: true, degraded: false, reasons: [] }]);
  });

  it("answers 503 with the reasons when it is not ready", async () => {
    const { ask, service } = anApi();
    const readiness = { ready: false, degraded: true, reasons: ["store_unwritable"] };
    service.readiness = async () => readiness;
    const ready = await ask("/ready");
    expect([ready.status, ready.json()]).toEqual([503, readiness]);
  });

  it("is not ready when the service fails to report readiness", async () => {
    const { ask, service, errors } = anApi();
    service.failure = new Error("a secret that nobody should see");
    const ready = await ask("/ready");
    expect([ready.status, ready.json()]).toEqual([503, { ready: false, degraded: true, reasons: ["internal"] }]);
    expect(errors).toEqual([service.failure]);
  });

  it("reports its version and current run", async () => {
    const { ask } = anApi();
    const version = { name: "waybill", version: about.version, api: 1, runId: "run", demo: false };
    expect((await ask("/version")).json()).toMatchObject(version);
  });

  it("restarts after the response is sent", async () => {
    const { ask, service } = anApi();
    const answer = await ask("/v1/restart", { method: "POST" });
    expect([answer.status, answer.json()]).toEqual([202, { status: "restarting" }]);
    expect(service.restarts).toBe(1);
  });

  it("serves its OpenAPI document", async () => {
    const { ask } = anApi();
    expect((await ask("/openapi.json")).json()).toMatchObject({ openapi: "3.1.0", paths: { "/v1/messages": {} } });
  });
});

describe("metrics", () => {
  it("count deliveries by status and requests by route pattern", async () => {
    const { ask } = anApi();
    await ask("/v1/messages", { method: "POST", json: send });
    await ask("/v1/lanes/some-lane-nobody-knows");
    await ask("/nothing/here");
    const { body, headers } = await ask("/metrics");
    expect(headers.get("content-type")).toContain("text/plain");
    expect(body).toContain('waybill_deliveries{status="pending"} 1');
    expect(body).toContain('waybill_http_requests_total{method="GET",route="/v1/lanes/:id",status="404"} 1');
    expect(body).toContain('waybill_http_requests_total{method="GET",route="unmatched",status="404"} 1');
    expect(body).toContain("process_cpu_seconds_total");
    expect(body).not.toContain("some-lane-nobody-knows");
  });
});
