import { describe, expect, test } from "vitest";
import type { PressedKey } from "./ask-keys.ts";
import { armedAt, askKeyOf, isArmed, unarmedMs } from "./ask-keys.ts";

const key = (pressed: string, more: Partial<PressedKey> = {}): PressedKey => ({
  ...{ key: pressed, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, isComposing: false },
  ...more,
});

const decide = (decision: string) => ({ type: "decide", decision });

describe("in a permission", () => {
  test.each([
    ["y", {}, decide("once")],
    ["Y", { shiftKey: true }, decide("always")],
    ["n", {}, decide("reject")],
    ["Enter", {}, null],
    ["1", {}, null],
    ["N", { shiftKey: true }, null],
  ])("%s %j", (pressed, more, expected) => {
    expect(askKeyOf(key(pressed, more), "permission", "card")).toEqual(expected);
  });

  test("caps lock does not turn y into always", () => {
    expect(askKeyOf(key("Y"), "permission", "card")).toEqual(decide("once"));
    expect(askKeyOf(key("y", { shiftKey: true }), "permission", "card")).toEqual(decide("always"));
  });

  test("letters also work on its buttons", () => {
    expect(askKeyOf(key("y"), "permission", "control")).toEqual(decide("once"));
  });

  test("writing a reason decides nothing", () => {
    for (const letter of ["y", "Y", "n", "Enter", "1"]) expect(askKeyOf(key(letter), "permission", "text")).toBeNull();
  });
});

describe("in a question", () => {
  test("digits choose, Enter answers, n rejects, y is nothing", () => {
    expect(askKeyOf(key("1"), "question", "card")).toEqual({ type: "choose", option: 0 });
    expect(askKeyOf(key("9"), "question", "card")).toEqual({ type: "choose", option: 8 });
    expect(askKeyOf(key("0"), "question", "card")).toBeNull();
    expect(askKeyOf(key("Enter"), "question", "card")).toEqual({ type: "answer" });
    expect(askKeyOf(key("n"), "question", "card")).toEqual(decide("reject"));
    expect(askKeyOf(key("y"), "question", "card")).toBeNull();
  });

  test("in the free-answer field only Enter is a shortcut, once the character is composed", () => {
    expect(askKeyOf(key("1"), "question", "text")).toBeNull();
    expect(askKeyOf(key("n"), "question", "text")).toBeNull();
    expect(askKeyOf(key("Enter"), "question", "text")).toEqual({ type: "answer" });
    expect(askKeyOf(key("Enter", { isComposing: true }), "question", "text")).toBeNull();
  });

  test("Enter on a button or a link activates it", () => {
    expect(askKeyOf(key("Enter"), "question", "control")).toBeNull();
  });
});

test("a key with a modifier is for the browser", () => {
  for (const modifier of ["ctrlKey", "metaKey", "altKey"]) {
    expect(askKeyOf(key("y", { [modifier]: true }), "permission", "card")).toBeNull();
  }
});

test("an ask ignores answers right after it appears, and right after another one was answered", () => {
  const never = Number.NEGATIVE_INFINITY;
  expect(isArmed({ appearedAt: 1000, lastAnsweredAt: never }, 1000 + unarmedMs - 1)).toBe(false);
  expect(isArmed({ appearedAt: 1000, lastAnsweredAt: never }, 1000 + unarmedMs)).toBe(true);
  expect(isArmed({ appearedAt: 1000, lastAnsweredAt: 5000 }, 5000 + unarmedMs - 1)).toBe(false);
  expect(armedAt({ appearedAt: 1000, lastAnsweredAt: 5000 })).toBe(5000 + unarmedMs);
  expect(unarmedMs).toBeGreaterThanOrEqual(600);
});
