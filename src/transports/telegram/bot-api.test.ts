import fc from "fast-check";
import { GrammyError, HttpError } from "grammy";
import { expect, test } from "vitest";
import { classifyError } from "./bot-api.ts";

const refused = (code: number, description: string, parameters = {}) =>
  new GrammyError("failed", { ok: false, error_code: code, description, parameters }, "sendMessage", {});

test.each([
  [429, "Too Many Requests: retry after 7", { retry_after: 7 }, { kind: "later", afterMs: 7000 }],
  [429, "Too Many Requests", {}, { kind: "later", afterMs: 1000 }],
  [400, "Bad Request: group chat was upgraded", { migrate_to_chat_id: -100 }, { kind: "migrated", to: -100 }],
  [401, "Unauthorized", {}, { kind: "unauthorized" }],
  [403, "Forbidden: bot was blocked by the user", {}, { kind: "unreachable" }],
  [400, "Bad Request: chat not found", {}, { kind: "unreachable" }],
  [400, "Bad Request: not enough rights to send text messages to the chat", {}, { kind: "unreachable" }],
  [400, "Bad Request: CHAT_WRITE_FORBIDDEN", {}, { kind: "unreachable" }],
  [404, "Not Found", {}, { kind: "unknown_method" }],
  [400, "Bad Request: message thread not found", {}, { kind: "thread_gone" }],
  [400, "Bad Request: TOPIC_CLOSED", {}, { kind: "thread_gone" }],
  [400, "Bad Request: message to edit not found", {}, { kind: "message_gone" }],
  [400, "Bad Request: message can't be edited", {}, { kind: "message_gone" }],
  [400, "Bad Request: message to be replied not found", {}, { kind: "reply_gone" }],
  [400, "Bad Request: message is not modified: same content", {}, { kind: "not_modified" }],
  [400, "Bad Request: can't parse entities", {}, { kind: "refused_content" }],
  [500, "Internal Server Error", {}, { kind: "later", afterMs: null }],
  [409, "Conflict", {}, { kind: "later", afterMs: null }],
])("%i %s", (code, description, parameters, expected) => {
  expect(classifyError(refused(code, description, parameters))).toMatchObject(expected);
});

test("a failed connection is tried again", () => {
  expect(classifyError(new HttpError("failed", new Error("cut")))).toMatchObject({ kind: "later", afterMs: null });
});

test("every server response is classified, even one without a description", () => {
  const description = fc.oneof(fc.string(), fc.constant(undefined as unknown as string));
  fc.assert(
    fc.property(fc.integer(), description, (code, words) => {
      expect(classifyError(refused(code, words))).toHaveProperty("kind");
    }),
  );
});

test("an error that is not from a call is rethrown", () => {
  expect(() => classifyError(new TypeError("a bug"))).toThrow("a bug");
});
