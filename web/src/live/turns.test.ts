import { expect, test } from "vitest";
import type { UniversalEvent } from "waybill/client";
import { isBehind, noEvents, withEvents, withOlderEvents, withOpenItems } from "./turns.ts";

let seq = 0;

type Body = { type: UniversalEvent["type"]; data: object };

function event(body: Body, fields: Partial<UniversalEvent> = {}): UniversalEvent {
  if (body.type !== "item.delta") seq += 1;
  const envelope = { id: `evt_${seq}`, seq, time: 1000 + seq, lane: "chat", session: "ses_1", turn: 1 };
  return { ...envelope, source: "agent", synthetic: false, ...body, ...fields } as UniversalEvent;
}

const item = (id: string, fields: object = {}) => ({
  ...{ id, kind: "message", role: "assistant", name: null, parent: null, status: "in_progress", parts: [] },
  ...fields,
});
const started = (prompt: string | null = "msg_1") => event({ type: "turn.started", data: { prompt } });
const ended = (reason = "completed") => event({ type: "turn.ended", data: { reason, error: null, queued: 0 } });
const begin = (id: string, fields?: object) => event({ type: "item.started", data: { item: item(id, fields) } });
const complete = (id: string, fields: object) =>
  event({ type: "item.completed", data: { item: item(id, { status: "completed", ...fields }) } });
const delta = (text: string, offset?: number) =>
  event({
    type: "item.delta",
    data: { item: "msg_2", part: "prt_1", kind: "text", text, ...(offset !== undefined && { offset }) },
  });
const text = (words: string) => ({ parts: [{ type: "text", id: "prt_1", text: words }] });

const shownText = (state: ReturnType<typeof withEvents>) => state.turns[0]?.items[0]?.parts;

test("text grows with its deltas, and ends as the completed item's text", () => {
  const live = withEvents(noEvents, [started(), begin("msg_2"), delta("The build ", 0), delta("is green", 10)]);
  expect(shownText(live)).toEqual(text("The build is green").parts);
  const over = withEvents(live, [complete("msg_2", text("The build is green.")), ended()]);
  expect(shownText(over)).toEqual(text("The build is green.").parts);
  expect(over.turns[0]).toMatchObject({ reason: "completed", number: 1, prompt: "msg_1" });
});

test("duplicates change nothing", () => {
  const events = [started(), begin("msg_2"), complete("msg_2", text("Yes.")), ended()];
  const once = withEvents(noEvents, events);
  expect(withEvents(once, events)).toBe(once);
});

test("a delta that overlaps known text adds only the new part, and one after a gap waits for the rest", () => {
  const live = withEvents(noEvents, [started(), begin("msg_2"), delta("The ", 0), delta("build ", 4)]);
  expect(shownText(withEvents(live, [delta("build is", 4)]))).toEqual(text("The build is").parts);
  expect(shownText(withEvents(live, [delta("green", 50)]))).toEqual(text("The build ").parts);
  expect(isBehind(live, delta("green", 50) as never)).toBe(true);
  expect(isBehind(live, delta("build is", 4) as never)).toBe(false);
});

test("a delta without a known position, as after a restart, is not applied", () => {
  const live = withEvents(noEvents, [started(), begin("msg_2"), delta("The ", 0)]);
  expect(shownText(withEvents(live, [delta("green")]))).toEqual(text("The ").parts);
  expect(isBehind(live, delta("green") as never)).toBe(false);
});

test("a reader who joins mid-turn sees the text so far, and continues from there", () => {
  const state = withEvents(noEvents, [started(), begin("msg_2")]);
  const told = withOpenItems(state, 1, [item("msg_2", text("The build ")) as never]);
  expect(shownText(told)).toEqual(text("The build ").parts);
  expect(shownText(withEvents(told, [delta("is green", 10)]))).toEqual(text("The build is green").parts);
  // The stream may have been quicker than the snapshot.
  const ahead = withEvents(state, [delta("The build is", 0)]);
  expect(shownText(withOpenItems(ahead, 1, [item("msg_2", text("The build ")) as never]))).toEqual(
    text("The build is").parts,
  );
});

test("a turn that spans two pages of history is one turn", () => {
  const events = [started(), begin("msg_2"), complete("msg_2", text("Yes.")), ended()];
  const newer = withEvents(noEvents, events.slice(2));
  const whole = withOlderEvents(newer, events.slice(0, 2));
  expect(whole.turns).toHaveLength(1);
  expect(whole.turns[0]).toMatchObject({ prompt: "msg_1", reason: "completed", startedAt: events[0]?.time });
  expect(whole.turns[0]?.items[0]).toMatchObject({ startedAt: events[1]?.time, endedAt: events[2]?.time });
});

test("an ask that was answered in a newer page of history is not open", () => {
  const events = [
    started(),
    event({ type: "permission.requested", data: { ask: "per_1", title: "bash: ls", call: null, detail: null } }),
    event({ type: "permission.resolved", data: { ask: "per_1", outcome: "once" } }),
    ended(),
  ];
  const whole = withOlderEvents(withEvents(noEvents, events.slice(2)), events.slice(0, 2));
  expect(whole.turns[0]?.asks).toMatchObject([{ id: "per_1", title: "bash: ls" }]);
  expect(whole.turns[0]?.askOutcomes.get("per_1")).toEqual({ outcome: "once", answers: null });
});

test("a question keeps its options, the call that asked, and the answers", () => {
  const questions = [{ header: null, question: "Which colour?", options: [], multiple: false }];
  const { turns } = withEvents(noEvents, [
    started(),
    event({ type: "question.requested", data: { ask: "que_1", call: "call_1", questions } }),
    event({ type: "question.resolved", data: { ask: "que_1", outcome: "answered", answers: [["Blue"]] } }),
  ]);
  expect(turns[0]?.asks).toMatchObject([{ id: "que_1", title: "Which colour?", call: "call_1", questions }]);
  expect(turns[0]?.askOutcomes.get("que_1")).toEqual({ outcome: "answered", answers: [["Blue"]] });
});

test("a turn whose delta overtakes the history that ends it has ended", () => {
  const events = [started(), begin("msg_2"), complete("msg_2", text("Yes.")), ended()];
  const ahead = withEvents(noEvents, [delta("s.", 2)]);
  const whole = withOlderEvents(ahead, events);
  expect(whole.turns).toHaveLength(1);
  expect(whole.turns[0]).toMatchObject({ reason: "completed", endedAt: events[3]?.time });
});

test("the daemon's notes tell which prompt belongs to which message", () => {
  const note = (name: string, value: object) => [
    event({ type: "item.started", data: { item: item(`${name}:1`, { kind: "status", name }) } }, { source: "daemon" }),
    event(
      {
        type: "item.completed",
        data: { item: item(`${name}:1`, { kind: "status", name, parts: [{ type: "json", id: "1", value }] }) },
      },
      { source: "daemon" },
    ),
  ];
  const state = withEvents(noEvents, [
    ...note("attempt", { message: "m1", number: 1, kind: "prompt", prompt: "msg_1" }),
    ...note("retry_scheduled", { message: "m1", attempt: 1, reason: "empty_assistant_turn", next: 5 }),
  ]);
  expect(state.attempts).toMatchObject([{ message: "m1", number: 1, prompt: "msg_1" }]);
  expect(state.turns).toEqual([]);
});

test("asks and errors belong to their turn, and the messages' usage is added up", () => {
  const tokens = { input: 10, output: 5, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
  const usage = { of: "message", item: null, model: "m", tokens, cost: 0.5 };
  const { turns } = withEvents(noEvents, [
    started(),
    event({ type: "permission.requested", data: { ask: "per_1", title: "bash: ls", call: null, detail: null } }),
    event({ type: "permission.resolved", data: { ask: "per_1", outcome: "once" } }),
    event({ type: "error", data: { message: "rate limited", item: null } }),
    event({ type: "usage", data: usage }),
    event({ type: "usage", data: usage }),
  ]);
  expect(turns[0]).toMatchObject({
    asks: [{ id: "per_1", kind: "permission" }],
    askOutcomes: new Map([["per_1", { outcome: "once", answers: null }]]),
    errors: [{ message: "rate limited" }],
    usage: { tokens: 30, cost: 1 },
  });
});
