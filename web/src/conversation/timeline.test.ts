import { expect, test } from "vitest";
import type { Delivery, Message } from "waybill/client";
import type { LaneEvents, ShownItem, Turn } from "../live/turns.ts";
import { noEvents } from "../live/turns.ts";
import { timelineOf } from "./timeline.ts";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();
const ms = (second: number) => Date.parse(at(second));

const message = (id: string, second: number, fields: Partial<Message> = {}) =>
  ({
    id,
    to: { lane: "chat" },
    from: "user",
    lane: "chat",
    text: "?",
    createdAt: at(second),
    relayOfMessageId: null,
    outcome: null,
    ...fields,
  }) as Message;

const reply = (id: string, second: number, fields: Partial<Message> = {}) =>
  message(id, second, { to: { person: "user" }, from: "chat", relayOfMessageId: "m1", text: "!", ...fields });

const words = (id: string, text = "Yes."): ShownItem => ({
  ...{ id, kind: "message", role: "assistant", name: null, parent: null, status: "completed" },
  ...{ parts: [{ type: "text", id: "p", text }], startedAt: 0, endedAt: 1, nativeSession: null },
});

const turn = (number: number, second: number, items: readonly ShownItem[], fields: Partial<Turn> = {}): Turn => ({
  ...{ number, startedAt: ms(second), endedAt: ms(second + 1), reason: "completed", error: null, prompt: `p${number}` },
  ...{ items, errors: [], asks: [], askOutcomes: new Map(), usage: null },
  ...fields,
});

const attempt = (number: number, fields = {}) => ({
  message: "m1",
  number,
  kind: "prompt",
  prompt: `p${number}`,
  at: 0,
  ...fields,
});

const deliveries = (fields: Partial<Delivery> = {}) =>
  new Map([
    [
      "m1",
      {
        ...{ id: "d1", messageId: "m1", lane: "chat", assistantMessageId: null, status: "responded", heldReason: null },
        ...fields,
      } as Delivery,
    ],
  ]);

const events = (fields: Partial<LaneEvents>): LaneEvents => ({ ...noEvents, ...fields });

const shown = (input: Parameters<typeof timelineOf>[0]) =>
  timelineOf(input).flatMap((entry) => {
    if (entry.type === "day") return [];
    if (entry.type === "message") return [entry.message.id];
    return [`turn ${entry.turn.number}${[...entry.answers].map(([item, { id }]) => ` ${item}=${id}`).join("")}`];
  });

test("an answer given in a turn is shown there, and not a second time", () => {
  const list = shown({
    messages: [message("m1", 0), reply("answer-d1", 9)],
    deliveries: deliveries({ assistantMessageId: "a1" }),
    events: events({ turns: [turn(1, 1, [words("a0"), words("a1")])], attempts: [attempt(1)] }),
  });
  expect(list).toEqual(["m1", "turn 1 a1=answer-d1"]);
});

test("an answer whose turn is no longer known is shown as a message", () => {
  const messages = [message("m1", 0), reply("answer-d1", 9)];
  expect(shown({ messages, deliveries: deliveries(), events: noEvents })).toEqual(["m1", "answer-d1"]);
});

test("a reply sent with a tool is shown separately", () => {
  const list = shown({
    messages: [message("m1", 0), reply("tool-reply", 2)],
    deliveries: deliveries({ assistantMessageId: "a1" }),
    events: events({ turns: [turn(1, 1, [words("a1")])], attempts: [attempt(1)] }),
  });
  expect(list).toEqual(["m1", "turn 1", "tool-reply"]);
});

test("an acknowledgement and the answer after it are shown in their own turns", () => {
  const list = shown({
    messages: [message("m1", 0), reply("remark-d1-1", 2, { outcome: "acknowledgement" }), reply("answer-d1", 9)],
    deliveries: deliveries({ assistantMessageId: "b1" }),
    events: events({
      turns: [turn(1, 1, [words("a1")]), turn(2, 5, [words("b1")])],
      attempts: [attempt(1), attempt(2)],
    }),
  });
  expect(list).toEqual(["m1", "turn 1 a1=remark-d1-1", "turn 2 b1=answer-d1"]);
});

test("a message is marked as acknowledged while there is nothing more", () => {
  const [, entry] = timelineOf({
    messages: [message("m1", 0), reply("remark-d1-1", 2, { outcome: "acknowledgement" })],
    deliveries: deliveries({ status: "retry_scheduled" }),
    events: noEvents,
  });
  expect(entry).toMatchObject({ type: "message", isAcknowledged: true });
});

test("if a program accepts no ids, the first turn after the prompt was sent belongs to it", () => {
  const list = shown({
    messages: [message("m1", 0), reply("answer-d1", 9)],
    deliveries: deliveries(),
    events: events({
      turns: [turn(7, 2, [words("a1")], { prompt: "theirs" })],
      attempts: [attempt(1, { prompt: null, at: ms(1) })],
    }),
  });
  expect(list).toEqual(["m1", "turn 7 a1=answer-d1"]);
});

test("no reply is invented: without one, none is shown", () => {
  const list = shown({
    messages: [message("m1", 0)],
    deliveries: deliveries({ status: "accepted" }),
    events: events({ turns: [turn(1, 1, [])] }),
  });
  expect(list).toEqual(["m1"]);
});

test("a turn is above messages written while it ran, and waiting messages say so", () => {
  const input = {
    messages: [message("m1", 0), message("m2", 1)],
    deliveries: new Map([
      ...deliveries({ status: "accepted", responsePending: true }),
      [
        "m2",
        {
          id: "d2",
          messageId: "m2",
          lane: "chat",
          status: "pending",
          responsePending: true,
          heldReason: null,
        } as Delivery,
      ],
    ]),
    events: events({ turns: [turn(1, 3, [], { reason: null })], attempts: [attempt(1)] }),
  };
  expect(shown(input)).toEqual(["m1", "turn 1", "m2"]);
  expect(timelineOf(input).at(-1)).toMatchObject({ delivery: { queuedBehindMessageId: "m1" } });
});

test("a message waits only behind one that is still in line", () => {
  const second = (fields: Partial<Delivery>): [string, Delivery] => {
    const delivery = { id: "d2", messageId: "m2", lane: "chat", status: "pending", responsePending: true };
    return ["m2", { ...delivery, heldReason: null, ...fields } as Delivery];
  };
  const waitsFor = (first: Partial<Delivery>, own: Partial<Delivery> = {}) => {
    const input = {
      messages: [message("m1", 0), message("m2", 1)],
      deliveries: new Map([...deliveries(first), second(own)]),
      events: noEvents,
    };
    const [one, other] = [timelineOf(input).at(-1), timelineOf(input).at(-1)];
    expect(one).toBe(other);
    return one?.type === "message" ? one.delivery?.queuedBehindMessageId : "no message";
  };
  const told = { queuedBehindMessageId: "m1" };
  expect(waitsFor({ status: "accepted", responsePending: true }, told)).toBe("m1");
  expect(waitsFor({ status: "responded", responsePending: false }, told)).toBeUndefined();
  expect(waitsFor({ status: "failed_terminal", responsePending: false }, told)).toBeUndefined();
  expect(waitsFor({ status: "pending", responsePending: true, heldReason: "loop_guard" })).toBeUndefined();
  // It may wait behind a message that is not loaded.
  expect(waitsFor({ status: "responded" }, { queuedBehindMessageId: "m0" })).toBe("m0");
});

test("a day begins once, even if a turn past midnight is above a message of the day before", () => {
  const midnight = new Date(2026, 0, 2).getTime();
  const near = (offset: number) => new Date(midnight + offset).toISOString();
  const entries = timelineOf({
    messages: [message("m1", 0, { createdAt: near(-2000) }), message("m2", 0, { createdAt: near(-1000) })],
    deliveries: deliveries(),
    events: events({ turns: [turn(1, 0, [words("a1")], { startedAt: midnight })], attempts: [attempt(1)] }),
  });
  const days = entries.filter(({ type }) => type === "day");
  expect(days.map(({ at }) => at)).toEqual([midnight - 2000, midnight]);
  expect(entries.map(({ type }) => type)).toEqual(["day", "message", "day", "turn", "message"]);
});
