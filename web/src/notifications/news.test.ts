import { expect, test } from "vitest";
import type { Delivery, Message, StreamEvent } from "waybill/client";
import { isAnswer, newsOf, overTag } from "./news.ts";

const nameOf = (lane: string) => (lane === "demo" ? "Demo agent" : lane);

const answer = {
  id: "answer-1",
  to: { person: "user" },
  from: "demo",
  lane: "demo",
  member: null,
  text: "It is green.",
  relayOfMessageId: "m1",
  outcome: null,
} as Message;

const event = (fields: object) => ({ cursor: "c", at: "2026-01-01T00:00:00.000Z", ...fields }) as StreamEvent;
const asked = (type: string, data: object, more: object = {}) => event({ type, lane: "demo", data, ...more });

test("an ask is news, with its subject", () => {
  const request = asked("permission.requested", { ask: "per_1", title: "bash: ls", call: null, detail: null });
  expect(newsOf(request, nameOf)).toEqual({
    tag: "ask per_1",
    title: "Demo agent asks for permission",
    body: "bash: ls",
    place: { type: "ask", lane: "demo", ask: "per_1" },
  });
  const questions = [{ header: null, question: "Which port?", options: [], multiple: false }];
  const question = newsOf(asked("question.requested", { ask: "que_1", call: null, questions }), nameOf);
  expect(question).toMatchObject({ title: "Demo agent asks you something", body: "Which port?" });
});

test("an ask that a fork copied was asked in another lane", () => {
  const copied = asked("permission.requested", { ask: "per_1", title: "bash: ls" }, { copied: true });
  expect(newsOf(copied, nameOf)).toBeNull();
});

test("a delivery is news only when it fails for good", () => {
  const delivery = { id: "d1", lane: "demo", why: "The agent is silent." } as Delivery;
  const step = (name: string, reason: string | null) => event({ type: "delivery", event: name, reason, delivery });
  expect(newsOf(step("unanswered", "empty_assistant_turn"), nameOf)).toBeNull();
  expect(newsOf(step("failed_terminal", "empty_assistant_turn"), nameOf)).toEqual({
    tag: "delivery d1",
    title: "A message to Demo agent failed",
    body: "It is still unread. The agent is silent. You can retry or cancel it.",
    place: { type: "delivery", id: "d1" },
  });
});

test("an answer to the person is news; remarks, Waybill's messages and messages between agents are not", () => {
  const told = (fields: Partial<Message>) =>
    newsOf(event({ type: "message", message: { ...answer, ...fields } }), nameOf);
  expect(told({})).toEqual({
    tag: "message answer-1",
    title: "Demo agent answered",
    body: "It is green.",
    place: { type: "message", conversation: "demo", message: "answer-1" },
  });
  const member = { team: "crew", name: "nate" };
  expect(told({ lane: null, member, from: "nate" })).toMatchObject({
    title: "nate answered",
    place: { conversation: "crew/nate" },
  });
  expect(told({ outcome: "acknowledgement" })).toBeNull();
  expect(told({ outcome: "progress" })).toBeNull();
  expect(told({ from: "waybill" })).toBeNull();
  expect(told({ to: { lane: "other" } })).toBeNull();
  expect(told({ relayOfMessageId: null })).toBeNull();
  expect(isAnswer({ ...answer, outcome: "blocked" })).toBe(true);
});

test("a long answer is cut, and control characters do not reach the desktop", () => {
  const text = `\u202eevil\u0007 ${"word ".repeat(200)}`;
  const body = newsOf(event({ type: "message", message: { ...answer, text } }), nameOf)?.body ?? "";
  expect(body.length).toBeLessThan(300);
  expect(body).toMatch(/^evil word .*…$/);
});

test("news that was dealt with is withdrawn", () => {
  expect(overTag(asked("permission.resolved", { ask: "per_1", outcome: "once" }))).toBe("ask per_1");
  const delivery = { id: "d1", status: "pending" } as Delivery;
  expect(overTag(event({ type: "delivery", event: "retried_by_person", reason: null, delivery }))).toBe("delivery d1");
  expect(
    overTag(
      event({
        type: "delivery",
        event: "failed_terminal",
        reason: null,
        delivery: { ...delivery, status: "failed_terminal" },
      }),
    ),
  ).toBeNull();
});
