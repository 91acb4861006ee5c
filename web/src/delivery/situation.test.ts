import { describe, expect, it } from "vitest";
import { situationOf } from "./situation.ts";

const began = Date.UTC(2026, 0, 31, 12);
const createdAt = new Date(began).toISOString();

type Fields = Partial<Parameters<typeof situationOf>[0]>;

const situation = (fields: Fields, afterMs = 0) =>
  situationOf(
    {
      ...{ explanation: "The agent is working.", responsePending: true, createdAt },
      ...{ next: { step: "looks", at: null, words: "It is looked at again." }, ...fields },
    },
    began + afterMs,
  );

describe("the question", () => {
  it("asks why it is late, after a while", () => {
    expect(situation({}, 5000).question).toBe("What is going on");
    expect(situation({}, 60_000).question).toBe("Why is it late?");
  });

  it("asks how it ended, once no answer is expected", () => {
    expect(situation({ responsePending: false }, 60_000).question).toBe("How it ended");
  });
});

describe("what happens next", () => {
  it("is added if the sentence does not say it", () => {
    expect(situation({}).next).toBe("It is looked at again.");
  });

  it("is not repeated, even if it is part of a longer sentence", () => {
    const next = { step: "waits_while_paused", at: null, words: "Its lane is paused (by hand)." };
    expect(situation({ next, explanation: "It has not been sent yet: its lane is paused (by hand)." }).next).toBeNull();
  });

  it("is null at the end", () => {
    expect(situation({ next: { step: "nothing", at: null, words: "It has ended." } }).next).toBeNull();
  });
});
