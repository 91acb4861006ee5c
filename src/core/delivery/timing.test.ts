import { describe, expect, test } from "vitest";
import { anAttempt, answerRow, aSlice, aTool, toolRow, userRow } from "../../../test/support/core/transcript.ts";
import { observe } from "../proof/observe.ts";
import type { TranscriptSlice } from "../transcript/transcript.ts";
import { mergeTiming, provenAttempt } from "./attempt.ts";

function timings(slice: TranscriptSlice, attempts = [anAttempt()]) {
  return observe({ slices: [slice], attempts, messageId: "m", replyRecipient: "user", takesIds: true }).timings;
}

const prompt = userRow("prompt-1", { createdAt: 10 });

describe("the timing of an attempt", () => {
  test("comes from the prompt's row, the first activity, and the row that ended the turn", () => {
    const rows = [
      prompt,
      toolRow("prompt-1", [aTool("write")], { createdAt: 20, firstActivityAt: 25, completedAt: 30 }),
      answerRow("prompt-1", { createdAt: 31, firstActivityAt: 40, completedAt: 50 }),
    ];
    expect(timings(aSlice(rows, { lastActivityAt: 51 }))).toEqual([
      { number: 1, storedAt: 10, firstTokenAt: 25, lastActivityAt: 51, finishedAt: 50 },
    ]);
  });

  test("has no first token while the row is empty", () => {
    const rows = [prompt, answerRow("prompt-1", { createdAt: 20, completedAt: null })];
    expect(timings(aSlice(rows, { status: "busy", lastActivityAt: 20 }))).toEqual([
      { number: 1, storedAt: 10, firstTokenAt: null, lastActivityAt: 20, finishedAt: null },
    ]);
  });

  test("has no end while the turn continues after a tool, and has one if it stopped there", () => {
    const rows = [
      prompt,
      toolRow("prompt-1", [aTool("bash")], { createdAt: 20, firstActivityAt: 21, completedAt: 30 }),
    ];
    expect(timings(aSlice(rows, { status: "busy" }))[0]?.finishedAt).toBeNull();
    expect(timings(aSlice(rows))[0]?.finishedAt).toBe(30);
  });

  test("is empty for a missing prompt", () => {
    expect(timings(aSlice([]))).toEqual([
      { number: 1, storedAt: null, firstTokenAt: null, lastActivityAt: null, finishedAt: null },
    ]);
  });

  test("is separate for two attempts in one session, and the newest with a result gets the credit", () => {
    const rows = [
      prompt,
      answerRow("prompt-1", { createdAt: 20, completedAt: 22 }),
      userRow("prompt-2", { createdAt: 100 }),
      answerRow("prompt-2", { createdAt: 110, firstActivityAt: 120, completedAt: 130 }),
    ];
    const both = timings(aSlice(rows, { lastActivityAt: 130 }), [anAttempt(), anAttempt({ number: 2 })]);
    expect(both).toMatchObject([
      { number: 1, lastActivityAt: 22, finishedAt: 22 },
      { number: 2, lastActivityAt: 130, finishedAt: 130 },
    ]);
    expect(provenAttempt(both)).toBe(2);
    expect(provenAttempt(both.slice(0, 1))).toBe(1);
    expect(provenAttempt([])).toBeNull();
  });

  test("keeps the earliest start and the latest end when merged, and loses nothing", () => {
    const known = { storedAt: 12, firstTokenAt: null, lastActivityAt: 40, finishedAt: 40 };
    const seen = { storedAt: 10, firstTokenAt: 30, lastActivityAt: 35, finishedAt: null };
    expect(mergeTiming(known, seen)).toEqual({
      storedAt: 10,
      firstTokenAt: 30,
      lastActivityAt: 40,
      finishedAt: 40,
    });
  });
});
