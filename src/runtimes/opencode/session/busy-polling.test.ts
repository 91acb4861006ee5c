import { beforeEach, expect, test } from "vitest";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import { BusyPolling } from "./busy-polling.ts";

let clock: ManualClock;
let looks: string[];
let polling: BusyPolling;
beforeEach(() => {
  clock = new ManualClock();
  looks = [];
  polling = new BusyPolling({ clock, look: (sessionId) => looks.push(sessionId) });
});

test("while no events come, a busy session is looked at every two seconds, as long as a look finds it busy", async () => {
  polling.saw("a", "busy");
  await clock.advance(1999);
  expect(looks).toEqual([]);
  await clock.advance(1);
  expect(looks).toEqual(["a"]);
  polling.saw("a", "busy");
  await clock.advance(2000);
  expect(looks).toEqual(["a", "a"]);
  await clock.advance(60_000);
  expect(looks).toEqual(["a", "a"]);
});

test("a session at rest sets no timer, and neither does a busy one while events come", () => {
  polling.saw("a", "busy");
  polling.saw("a", "resting");
  expect(clock.pending).toBe(0);
  polling.eventsCome(true);
  polling.saw("b", "busy");
  expect(clock.pending).toBe(0);
});

test("when the events stop in mid-turn the looks begin, and when they are back the looks end", async () => {
  polling.eventsCome(true);
  polling.saw("a", "busy");
  polling.eventsCome(false);
  await clock.advance(2000);
  expect(looks).toEqual(["a"]);
  polling.saw("a", "busy");
  polling.eventsCome(true);
  await clock.advance(60_000);
  expect(looks).toEqual(["a"]);
});

test("nothing is looked at after the end", async () => {
  polling.saw("a", "busy");
  polling.close();
  polling.saw("b", "busy");
  expect(clock.pending).toBe(0);
});
