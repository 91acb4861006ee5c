import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Asked } from "../../../test/support/daemon/http-api.ts";
import { anApi } from "../../../test/support/daemon/http-api.ts";
import { maxCharacters } from "../../core/message/message.ts";
import { AppError } from "../../platform/app-error.ts";
import { codesByStatus, statusOf } from "./errors.ts";

const send = { to: { lane: "demo" }, text: "hello" };
type ErrorBody = { error: { code: string; message: string; hint?: string } };

async function refusal(path: string, asked: Asked = {}) {
  const { ask, errors } = anApi();
  const answer = await ask(path, asked);
  expect(errors).toEqual([]);
  const { error } = answer.json() as ErrorBody;
  return { status: answer.status, headers: answer.headers, ...error };
}

describe("an error of the service", () => {
  it.each([
    [400, ["message_invalid", "lane_invalid", "cursor_invalid", "directory_missing", "runtime_unknown"]],
    [403, ["directory_not_allowed"]],
    [404, ["lane_unknown", "delivery_unknown", "message_unknown", "member_unknown", "ask_unknown"]],
    [409, ["message_conflict", "message_ambiguous", "lane_in_use", "not_possible"]],
    [409, ["session_in_use", "session_other_directory", "session_is_subtask"]],
    [503, ["store_unwritable", "store_closed", "draining", "runtime_unavailable"]],
    [500, ["a_code_that_nobody_knows"]],
  ])("has status %s if its code belongs there", async (status, codes) => {
    for (const code of codes) {
      const { ask, service } = anApi();
      service.failure = new AppError({ code, message: "It went so.", hint: "Do that." });
      const answer = await ask("/v1/lanes/demo");
      expect([answer.status, answer.json()]).toEqual([
        status,
        { error: { code, message: "It went so.", hint: "Do that." } },
      ]);
    }
  });

  it("that is retryable tells the client when to retry", async () => {
    const { ask, service, errors } = anApi();
    service.failure = new AppError({ code: "store_unwritable", message: "The disk is full." });
    const answer = await ask("/v1/messages", { method: "POST", json: send });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(errors).toEqual([service.failure]);
    expect(statusOf(new AppError({ code: "new_trouble", message: "", retryable: true }))).toBe(503);
  });

  it("that is a bug is logged in full and hidden from the client", async () => {
    const { ask, service, errors } = anApi();
    service.failure = new Error("secret detail");
    const answer = await ask("/v1/lanes");
    expect(answer.status).toBe(500);
    expect(answer.json()).toMatchObject({ error: { code: "internal" } });
    expect(answer.body).not.toContain("secret");
    expect(errors).toEqual([service.failure]);
  });

  it("while metrics are collected is answered like any other", async () => {
    const { ask, service } = anApi();
    service.failure = new AppError({ code: "store_closed", message: "The store is closed." });
    expect((await ask("/metrics")).status).toBe(503);
  });
});

describe("addresses", () => {
  it("an unknown path is not found", async () => {
    expect(await refusal("/v1/nothing")).toMatchObject({ status: 404, code: "not_found" });
  });

  it.each([
    ["PUT", "/v1/messages", "GET, HEAD, POST"],
    ["PATCH", "/v1/lanes/demo", "DELETE, GET, HEAD"],
    ["GET", "/v1/lanes/demo/abort", "POST"],
    ["DELETE", "/health", "GET, HEAD"],
    ["OPTIONS", "/v1/asks", "GET, HEAD"],
  ])("%s %s lists the supported methods", async (method, path, allow) => {
    const answer = await refusal(path, { method });
    expect(answer).toMatchObject({ status: 405, code: "method_not_allowed" });
    expect(answer.headers.get("allow")).toBe(allow);
  });

  it("HEAD is GET without the body", async () => {
    const { ask } = anApi();
    const answer = await ask("/version", { method: "HEAD" });
    expect([answer.status, answer.body]).toEqual([200, ""]);
  });
});

describe("bodies", () => {
  const post = (asked: Asked) => refusal("/v1/messages", { method: "POST", ...asked });
  const json = { "content-type": "application/json" };

  it.each(["{", "", " ", "nonsense", '{"to":', '{"text":"\u0001"}'])("%j is not valid JSON", async (body) => {
    const answer = await post({ body, headers: json });
    expect(answer.status).toBe(400);
    expect(answer.code).toBe(body === "" ? "invalid_request" : "malformed_json");
  });

  it("bytes that are not UTF-8 are not JSON", async () => {
    const body = Buffer.from([0x22, 0xff, 0xfe, 0x22]);
    expect(await post({ body, headers: json })).toMatchObject({ status: 400, code: "malformed_json" });
  });

  it.each([
    { "content-type": "text/plain" },
    { "content-type": "application/x-www-form-urlencoded" },
    { "content-type": "application/jsonx" },
    { "content-type": null },
    { ...json, "content-encoding": "gzip" },
  ])("with %j have an unsupported media type", async (headers) => {
    const body = Buffer.from(JSON.stringify(send));
    expect(await post({ body, headers })).toMatchObject({ status: 415, code: "unsupported_media_type" });
  });

  it("may declare their charset", async () => {
    const { ask } = anApi();
    const headers = { "content-type": "Application/JSON; charset=utf-8" };
    expect((await ask("/v1/messages", { method: "POST", body: JSON.stringify(send), headers })).status).toBe(202);
  });

  it("that are not JSON are refused even where no body is expected", async () => {
    const answer = await refusal("/v1/lanes/demo/abort", { method: "POST", body: "x=1" });
    expect(answer.status).toBe(415);
  });

  it.each([["content-length", `${3 * 1024 * 1024}`]])(
    "that declare too large a size are not read",
    async (name, value) => {
      const answer = await post({ json: send, headers: { [name]: value } });
      expect(answer).toMatchObject({ status: 413, code: "too_large" });
    },
  );
});

describe("request validation", () => {
  it.each([
    [{ text: "hello" }, "to"],
    [{ to: {}, text: "hello" }, "to"],
    [{ to: { lane: "demo", team: "t", member: "m" }, text: "hello" }, "to"],
    [{ to: { lane: "demo" } }, "text"],
    [{ ...send, text: "" }, "text"],
    [{ ...send, text: 5 }, "text"],
    [{ ...send, text: "x".repeat(maxCharacters + 1) }, "text"],
    [{ ...send, messageId: "has blanks" }, "messageId"],
    [{ ...send, from: "  " }, "from"],
    [{ ...send, actionMode: "shout" }, "actionMode"],
    [{ ...send, expiresAt: "tomorrow" }, "expiresAt"],
    [{ ...send, source: "telegram" }, "source"],
    [{ ...send, taskRefs: [{ id: "t1" }, {}] }, "taskRefs.1.id"],
    [{ ...send, colour: "red" }, "colour"],
    [[], "body"],
    [null, "body"],
    ["text", "body"],
  ])("a message like %.60j is refused with the name of the invalid field", async (json, field) => {
    const answer = await refusal("/v1/messages", { method: "POST", json });
    expect(answer).toMatchObject({ status: 400, code: "invalid_request" });
    expect(answer.message).toContain(field);
    expect(answer.message.split("\n")).toHaveLength(1);
    expect(answer.message.length).toBeLessThan(500);
  });

  it.each([
    ["/v1/messages?limit=0", "limit"],
    ["/v1/messages?limit=201", "limit"],
    ["/v1/messages?limit=ten", "limit"],
    ["/v1/messages?limit=1&limit=2", "limit"],
    ["/v1/messages?lanes=demo", "lanes"],
    ["/v1/deliveries?status=pending,lost", "status"],
    ["/v1/deliveries?status=", "status"],
    [`/v1/lanes/${"x".repeat(300)}`, "id"],
  ])("%.60s is refused with the name of the invalid parameter", async (path, name) => {
    const answer = await refusal(path);
    expect(answer).toMatchObject({ status: 400, code: "invalid_request" });
    expect(answer.message).toContain(name);
  });

  it.each([
    [{ id: "Upper", directory: "/tmp" }, "slug"],
    [{ id: "../up", directory: "/tmp" }, "slug"],
    [{ id: "fine" }, "directory"],
    [{ id: "fine", directory: "a\u0000b" }, "directory"],
    [{ id: "fine", directory: "/tmp", runtime: "abacus" }, "runtime"],
  ])("a lane like %j is refused", async (json, word) => {
    const answer = await refusal("/v1/lanes", { method: "POST", json });
    expect(answer).toMatchObject({ status: 400, code: "invalid_request" });
    expect(answer.message).toContain(word);
  });

  it("an unknown decision is refused", async () => {
    const answer = await refusal("/v1/asks/a1", { method: "POST", json: { decision: "perhaps" } });
    expect(answer).toMatchObject({ status: 400, code: "invalid_request" });
  });

  it.each([
    ["/v1/lanes/nobody", "lane_unknown"],
    ["/v1/lanes/%00", "lane_unknown"],
    ["/v1/lanes/%zz", "lane_unknown"],
    ["/v1/deliveries/none", "delivery_unknown"],
    ["/v1/stream?lane=nobody", "lane_unknown"],
  ])("%s is not found", async (path, code) => {
    expect(await refusal(path)).toMatchObject({ status: 404, code });
  });

  it("an invalid cursor is refused", async () => {
    expect(await refusal("/v1/messages?cursor=zzz")).toMatchObject({ status: 400, code: "cursor_invalid" });
  });

  it("the same id with another body is a conflict", async () => {
    const { ask } = anApi();
    await ask("/v1/messages", { method: "POST", json: { ...send, messageId: "m1" } });
    const again = await ask("/v1/messages", { method: "POST", json: { ...send, messageId: "m1", text: "other" } });
    expect([again.status, again.json()]).toMatchObject([409, { error: { code: "message_conflict" } }]);
  });
});

it("docs/api.md lists every error code with its status", () => {
  const document = readFileSync(new URL("../../../docs/api.md", import.meta.url), "utf8");
  for (const [status, codes] of Object.entries(codesByStatus)) {
    const [, row = ""] = new RegExp(`^\\| ${status} \\| (.*) \\|$`, "m").exec(document) ?? [];
    expect([...row.matchAll(/`([a-z]\w+)`/g)].map(([, code]) => code)).toEqual(codes);
  }
});
