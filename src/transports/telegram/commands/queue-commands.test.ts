import { describe, expect, test } from "vitest";
import { aRecord } from "../../../../test/support/core/records.ts";
import type { Waiting } from "./queue-commands.ts";
import { queueText, withdrawnSince, withdrawTarget } from "./queue-commands.ts";

const waits = (number: number, more: Partial<Waiting> = {}): Waiting => ({
  ...{ deliveryId: `d${number}`, messageId: `telegram:1:50:${number}`, from: "ann", text: `task ${number}` },
  ...{ createdAt: number * 1000, isOwn: true, ...more },
});
const foreign = waits(8, { messageId: "m8", from: "ben", isOwn: false });
const waiting = [waits(5), foreign, waits(9)];
const request = { args: "", replyTo: null, number: 20, chat: 50 };

describe("the queue", () => {
  test("is numbered in the order in which messages are sent", () => {
    expect(queueText(waiting, 3, 10_000).split("\n")).toEqual([
      "6 messages waiting:",
      "",
      "1. task 5 (waiting for 5 s)",
      "2. task 8 (from ben, waiting for 2 s)",
      "3. task 9 (waiting for 1 s)",
      "… and 3 more.",
      "",
      "`/withdraw N` takes one back.",
    ]);
  });

  test("may be empty", () => {
    expect(queueText([], 0, 0)).toBe("Nothing is waiting.");
  });
});

describe("the withdrawn message", () => {
  test.each([
    ["is the newest one", request, "d9"],
    ["was written before the command", { ...request, number: 7 }, "d5"],
    ["is the one that is replied to", { ...request, replyTo: 5 }, "d5"],
    ["is the one with the number", { ...request, args: "1" }, "d5"],
  ])("%s", (_, asked, expected) => {
    expect(withdrawTarget(waiting, asked).deliveryId).toBe(expected);
  });

  test.each([
    ["another topic's message", { ...request, args: "2" }, /not written in this topic/],
    ["an unknown number", { ...request, args: "4" }, /There is no waiting message "4"/],
    ["a word", { ...request, args: "all" }, /There is no waiting message "all"/],
    ["a message that was sent", { ...request, replyTo: 3 }, /is not waiting/],
    ["a later message", { ...request, number: 2 }, /No message from this topic is waiting/],
    ["the same number in another chat", { ...request, chat: 51, replyTo: 5 }, /is not waiting/],
  ])("is never %s", (_, asked, message) => {
    expect(() => withdrawTarget(waiting, asked)).toThrow(message);
  });

  test("is recognised when the command is handled again", () => {
    const withdrawn = { ...aRecord(), lastReason: "withdrawn", cancelledAt: 5000 };
    expect(withdrawnSince([withdrawn], 5000)).toBe(withdrawn);
    expect(withdrawnSince([withdrawn], 5001)).toBeNull();
    expect(withdrawnSince([{ ...withdrawn, lastReason: "stopped_by_person" }], 0)).toBeNull();
  });
});
