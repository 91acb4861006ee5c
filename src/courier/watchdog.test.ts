import { expect, test } from "vitest";
import { ManualClock } from "../../test/support/core/manual-clock.ts";
import { aLane } from "../../test/support/daemon/waybill.ts";
import { defaultPolicy } from "../core/delivery/policy.ts";
import type { Lane } from "../core/lane/lane.ts";
import { planLane } from "../core/plan/lane-plans.ts";
import type { Runtime } from "../runtimes/port.ts";
import { WakeUps } from "./watchdog.ts";

/** Wake-ups with a runtime that gives hints, and the lanes that they woke. */
function hinted() {
  const woken: string[] = [];
  const wakeUps = new WakeUps(new ManualClock(), defaultPolicy, (laneId) => void woken.push(laneId));
  let give = (_: { sessionId: string }) => {};
  const runtime: Partial<Runtime> = {
    onHint(listener) {
      give = listener;
      return () => {};
    },
  };
  wakeUps.listen([runtime as Runtime]);
  const wakes = (sessionId: string) => {
    woken.length = 0;
    give({ sessionId });
    return [...woken];
  };
  return { wakeUps, wakes };
}

const inSession = (id: string, sessionId: string): Lane => ({ ...planLane(null, aLane({ id })), sessionId });

test("a hint wakes the lane whose session it is about, and the lane that has just left it", () => {
  const { wakeUps, wakes } = hinted();
  wakeUps.follow(inSession("one", "s1"));
  wakeUps.follow(inSession("one", "s2"));
  wakeUps.follow(inSession("other", "s3"));
  expect([wakes("s1"), wakes("s2"), wakes("s3"), wakes("s4")]).toEqual([["one"], ["one"], ["other"], []]);
});

test("sessions that a lane has left for long, and those of a removed lane, are forgotten", () => {
  const { wakeUps, wakes } = hinted();
  for (const session of ["s1", "s2", "s3", "s2"]) wakeUps.follow(inSession("one", session));
  expect([wakes("s1"), wakes("s2"), wakes("s3")]).toEqual([[], ["one"], ["one"]]);
  wakeUps.forget("one");
  expect([wakes("s2"), wakes("s3")]).toEqual([[], []]);
});

test("a session that another lane has adopted stays with it when its first lane is removed", () => {
  const { wakeUps, wakes } = hinted();
  wakeUps.follow(inSession("one", "s1"));
  wakeUps.follow(inSession("other", "s1"));
  wakeUps.forget("one");
  expect(wakes("s1")).toEqual(["other"]);
});
