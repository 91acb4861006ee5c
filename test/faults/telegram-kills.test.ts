/** A kill at any moment between an update and its answer costs only time. */
import { describe, expect, test } from "vitest";
import { expectOneAnswerEach } from "../support/telegram/expect-killed-chats.ts";
import { killAt, killAtRandom } from "../support/telegram/telegram-kills.ts";

/** The rows of a first message: the saved sign, the removal of the queue sign, and the answer. */
const answerRow = 3;

const moments: [moment: string, failPoint: string][] = [
  ["updates are fetched but not stored", "update.fetched"],
  ["updates are stored but not confirmed", "update.stored"],
  ["an update is stored but not handled", "update.handling"],
  ["a second update is stored but not handled", "update.handling@2"],
  ["a message is admitted but not marked as handled", "update.admitted"],
  ["a second message is admitted but not marked as handled", "update.admitted@2"],
  ["an update is handled", "update.handled"],
  ["rows of a delivery are written", "outbox.written"],
  ["rows of an answer are written", "outbox.written@2"],
  ["a sign is sent but not committed", "outbox.sent"],
  ["a sign is committed", "outbox.committed"],
];

describe("killed with SIGKILL, each message is prompted once and answered once, in order", () => {
  test.each(moments)("when %s", async (_, failPoint) => {
    expectOneAnswerEach(await killAt(failPoint));
  });

  test("when an answer is sent and committed", async () => {
    expectOneAnswerEach(await killAt(`outbox.committed@${answerRow}`, { apart: true }));
  });

  test("five times at random under ten topics", async () => {
    expectOneAnswerEach(await killAtRandom(5));
  });
});

test("an answer may come twice only if it is sent but not committed", async () => {
  const { fates, orders } = await killAt(`outbox.sent@${answerRow}`, { apart: true });
  expect(fates.flat().map(({ prompts }) => prompts)).toEqual([1, 1]);
  expect(fates.flat().map(({ answers }) => answers)).toEqual([2, 1]);
  expect(orders).toEqual(fates.map((topic) => topic.map(({ text }) => text)));
});
