import { beforeEach, expect, test } from "vitest";
import { ManualClock } from "../../../../test/support/core/manual-clock.ts";
import { BusyPolling } from "./session-monitor.ts";

let clock: ManualClock;
let polls: string[];
let polling: BusyPolling;
beforeEach(() => {
  clock = new ManualClock();
  polls = [];
  polling = new BusyPolling({ clock, onPoll: (sessionId) => polls.push(sessionId) });
});

test("while no events arrive, a session is polled every two seconds as long as reads find it busy", async () => {
  polling.mark("a", "busy");
  await clock.advance(1999);
  expect(polls).toEqual([]);
  await clock.advance(1);
  expect(polls).toEqual(["a"]);
  polling.mark("a", "busy");
  await clock.advance(2000);
  expect(polls).toEqual(["a", "a"]);
  await clock.advance(60_000);
  expect(polls).toEqual(["a", "a"]);
});

test("an idle session sets no timer, and neither does a busy one while events arrive", () => {
  polling.mark("a", "busy");
  polling.mark("a", "idle");
  expect(clock.pending).toBe(0);
  polling.setLive(true);
  polling.mark("b", "busy");
  expect(clock.pending).toBe(0);
});

test("polling starts when events stop mid-turn, and ends when they are back", async () => {
  polling.setLive(true);
  polling.mark("a", "busy");
  polling.setLive(false);
  await clock.advance(2000);
  expect(polls).toEqual(["a"]);
  polling.mark("a", "busy");
  polling.setLive(true);
  await clock.advance(60_000);
  expect(polls).toEqual(["a"]);
});

test("nothing is polled after closing", async () => {
  polling.mark("a", "busy");
  polling.close();
  polling.mark("b", "busy");
  expect(clock.pending).toBe(0);
});
