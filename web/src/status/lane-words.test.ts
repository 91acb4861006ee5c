import { expect, test } from "vitest";
import type { Delivery, Lane } from "waybill/client";
import { hasOpenDeliveries, holderWords, holdsSince, removalWords, whyItWaits } from "./lane-words.ts";

const delivery = (fields: Partial<Delivery>): Delivery =>
  ({
    status: "pending",
    responseState: "not_observed",
    acceptanceUnknown: false,
    heldReason: null,
    ...fields,
  }) as Delivery;
const lane = (fields: Partial<Lane> = {}): Lane =>
  ({ id: "demo", runtime: "opencode", runtimeReady: true, pausedReason: null, waitReason: null, ...fields }) as Lane;
const holder = { messageId: "m" } as Lane["holder"];

test("an ended delivery says what it still owes", () => {
  expect(holderWords(delivery({ status: "responded", readCommittedAt: null }))).toContain("read flag");
  expect(holderWords(delivery({ status: "cancelled", readCommittedAt: "2026-11-17T12:00:00Z" }))).toBe(
    "Cancelled; the turn is still running",
  );
});

test("an open delivery says what its sign says", () => {
  expect(holderWords(delivery({ status: "accepted", responseState: "pending" }))).toBe("The agent is working");
  expect(holderWords(delivery({ status: "accepted", responseState: "question_blocked" }))).toBe("Waiting for you");
});

test("a lane is held since its delivery was accepted, or sent", () => {
  expect(holdsSince({ acceptedAt: null, createdAt: "1" })).toBe("1");
  expect(holdsSince({ acceptedAt: "2", createdAt: "1" })).toBe("2");
});

test.each([
  [
    "a hold before everything else",
    { heldReason: "loop_guard" },
    { pausedReason: "by_person" },
    /^Held until you decide/,
  ],
  ["the pause before the queue", { queuedBehindMessageId: "m" }, { pausedReason: "by_person" }, /paused: by person/],
  ["the message before it", { queuedBehindMessageId: "m" }, { waitReason: "session_stale" }, /^An earlier message/],
  ["what keeps the head from being sent", {}, { waitReason: "session_busy" }, /right now: session busy/],
  ["a program that does not run", {}, { runtimeReady: false }, /^opencode is not running/],
  ["that it is next", {}, {}, /^It is next/],
] as const)("a waiting message names %s", (_, ofDelivery, ofLane, words) => {
  expect(whyItWaits(delivery(ofDelivery), lane(ofLane))).toMatch(words);
});

test("a waiting message of a removed lane says so", () => {
  expect(whyItWaits(delivery({}), undefined)).toBe("Its lane was removed.");
});

test("removing a lane says what happens to open messages", () => {
  expect(removalWords({ holder: null, waiting: 0 })).toMatch(/^It has no open messages/);
  expect(removalWords({ holder, waiting: 0 })).toContain(
    "This cancels its open messages: the one its agent is working on.",
  );
  expect(removalWords({ holder, waiting: 2 })).toContain("working on and 2 waiting messages");
  expect(removalWords({ holder: null, waiting: 1 })).toContain("one waiting message");
});

test("a lane in use is removed by force only", () => {
  expect(hasOpenDeliveries({ holder: null, waiting: 0 })).toBe(false);
  expect(hasOpenDeliveries({ holder, waiting: 0 })).toBe(true);
  expect(hasOpenDeliveries({ holder: null, waiting: 1 })).toBe(true);
});
