import { describe, expect, it } from "vitest";
import { anItem, LaneHistory } from "../../test/support/core/lane-history.ts";
import { endNote } from "../core/turn/delivery-notes.ts";
import type { UniversalEvent } from "../core/turn/universal-event.ts";
import type { History } from "./fork-history.ts";
import { copiedEvents, historyBefore } from "./fork-history.ts";

/** The first message was answered; the second arrived during its turn, and so did the third, which waits. */
function aHistory(): LaneHistory {
  const history = new LaneHistory();
  history.admit("one");
  history.send("one");
  history.begin("one");
  history.admit("two");
  history.says("answer-1", "One is done.");
  history.end("one");
  history.send("two");
  history.begin("two");
  history.admit("three");
  history.says("answer-2", "Two is done.");
  history.end("two");
  return history;
}

const itemsOf = ({ events }: Pick<History, "events">) =>
  events.flatMap(({ type, data }) => (type === "item.started" ? [data.item.id] : []));
const told = (history: LaneHistory, item: string) =>
  history.events.find(({ type, data }) => type === "item.started" && data.item.id === item)?.seq ?? 0;

const one = ["delivery:one", "attempt:one:1", "prompt-one", "answer-1"];
const two = ["delivery:two", "attempt:two:1", "prompt-two", "answer-2"];

describe("the history of a fork", () => {
  it("is everything that was said, without waiting messages", () => {
    const all = historyBefore(aHistory().events, null);
    expect(itemsOf(all)).toEqual([...one.slice(0, 3), two[0], one[3], ...two.slice(1)]);
    expect([all.before, all.inTurn]).toEqual([null, false]);
  });

  it("is everything before a message was sent, however early it was admitted", () => {
    const history = aHistory();
    const before = historyBefore(history.events, told(history, "delivery:two"));
    expect(itemsOf(before)).toEqual(one);
    expect(before.events.at(-1)).toMatchObject({ data: { item: { id: "delivery:one", status: "completed" } } });
    expect([before.before, before.inTurn]).toEqual(["prompt-two", false]);
  });

  it("before a message that was never sent is everything before the next one that was", () => {
    const history = aHistory();
    const whole = historyBefore(history.events, null);
    expect(historyBefore(history.events, told(history, "delivery:three"))).toEqual(whole);
    history.tell(endNote({ messageId: "three", rounds: 1, status: "cancelled", lastReason: null }), {
      source: "daemon",
    });
    expect(historyBefore(history.events, told(history, "delivery:three"))).toEqual(whole);
    history.admit("four");
    history.send("four");
    history.begin("four");
    history.end("four");
    expect(historyBefore(history.events, told(history, "delivery:three"))).toEqual({ ...whole, before: "prompt-four" });
  });

  it("has a failed message as it was published then, without the waiting retry", () => {
    const history = aHistory();
    const failed = endNote({ messageId: "three", rounds: 1, status: "failed_terminal", lastReason: null });
    history.tell(failed, { source: "daemon" });
    const before = historyBefore(history.events, null);
    history.admit("three", "three", 2);
    expect(historyBefore(history.events, null)).toEqual(before);
    expect(itemsOf(before)).toContain("delivery:three");
    history.tell(endNote({ messageId: "three", rounds: 2, status: "responded", lastReason: null }), {
      source: "daemon",
    });
    expect(itemsOf(historyBefore(history.events, null))).toContain("delivery:three#2");
  });

  it("before a retry whose first round is no longer kept in full is everything before the retry was sent", () => {
    const history = aHistory();
    const failed = endNote({ messageId: "one", rounds: 1, status: "failed_terminal", lastReason: null });
    history.tell(failed, { source: "daemon" });
    history.admit("one", "one", 2);
    history.send("one");
    history.begin("one again");
    const before = historyBefore(history.events.slice(1), told(history, "delivery:one#2"));
    expect([before.before, before.events.at(-1)?.type]).toEqual(["prompt-one again", "item.completed"]);
    expect(itemsOf(before)).toEqual(["prompt-one", two[0], "answer-1", ...two.slice(1)]);
  });

  it("before a prompt that joined a turn ends within that turn", () => {
    const history = aHistory();
    history.begin("five");
    history.item({ ...anItem("joined", "message"), role: "user" });
    const { inTurn, before, events } = historyBefore(history.events, told(history, "joined"));
    expect([inTurn, before, events.at(-1)]).toMatchObject([true, "joined", { data: { item: { id: "prompt-five" } } }]);
  });

  it("before a prompt that somebody typed into the program is everything before its turn", () => {
    const history = aHistory();
    history.begin("typed");
    const typed = historyBefore(history.events, told(history, "prompt-typed"));
    expect(typed).toEqual({ ...historyBefore(aHistory().events, null), before: "prompt-typed" });
  });

  it("is refused if it is no longer kept", () => {
    const history = aHistory();
    const left = history.events.slice(5);
    expect(() => historyBefore(left, 1)).toThrow(expect.objectContaining({ code: "message_unknown" }));
    expect(() => historyBefore(left, 99)).toThrow(expect.objectContaining({ code: "message_unknown" }));
  });
});

it("copied events are numbered from 1, with new ids, for the new lane, session and rows", () => {
  const { events } = historyBefore(aHistory().events, null);
  let ids = 0;
  const renamed = new Map([["answer-1", "answer-9"]]);
  const copies = copiedEvents(events.slice(3), {
    lane: "copy",
    session: "ses-2",
    renamed,
    newId: () => `new-${ids++}`,
  });
  expect(copies.map(({ event }) => [event.seq, event.id])).toEqual(
    copies.map((_, index) => [index + 1, `new-${index}`]),
  );
  for (const { event, text } of copies)
    expect([event, event.lane, event.session]).toEqual([JSON.parse(text), "copy", "ses-2"]);
  expect(copies.every(({ event }) => event.copied)).toBe(true);
  const restored = copies.map(({ event: { copied: _, ...event } }, index) => ({
    ...event,
    ...placeOf(events[index + 3]),
  }));
  expect(JSON.parse(JSON.stringify(restored).replaceAll('"answer-9"', '"answer-1"'))).toEqual(events.slice(3));
});

function placeOf(event: UniversalEvent | undefined) {
  return event && { id: event.id, seq: event.seq, lane: event.lane, session: event.session };
}
