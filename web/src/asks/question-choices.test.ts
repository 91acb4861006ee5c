import { describe, expect, test } from "vitest";
import { answersOf, answerTo, askedNow, chooseOption, chooseOther, noChoice, writeOther } from "./question-choices.ts";

const options = ["Red", "Green", "Blue"].map((label) => ({ label, description: null }));
const one = { header: "Build", question: "Which colour?", options, multiple: false };
const many = { ...one, multiple: true };
const free = { ...one, options: [] };

describe("a question that takes one option", () => {
  test("has the last chosen option", () => {
    const choice = chooseOption(chooseOption(noChoice, 0, one), 2, one);
    expect(answerTo(one, choice)).toEqual(["Blue"]);
  });

  test("replaces an option with a free answer, and a free answer with an option", () => {
    const written = writeOther(chooseOption(noChoice, 0, one), "Purple", one);
    expect(answerTo(one, written)).toEqual(["Purple"]);
    const chosen = chooseOption(written, 1, one);
    expect(answerTo(one, chosen)).toEqual(["Green"]);
    expect(answerTo(one, chooseOther(chosen, one))).toEqual(["Purple"]);
  });

  test("has no answer while the free answer is empty", () => {
    expect(answerTo(one, chooseOther(chooseOption(noChoice, 0, one), one))).toEqual([]);
    expect(answerTo(one, writeOther(noChoice, "  ", one))).toEqual([]);
  });
});

describe("a question that takes several options", () => {
  test("has them in listed order, and lets them be deselected", () => {
    const choice = [2, 0, 1, 1].reduce((before, option) => chooseOption(before, option, many), noChoice);
    expect(answerTo(many, choice)).toEqual(["Red", "Blue"]);
  });

  test("takes a free answer in addition", () => {
    const choice = writeOther(chooseOption(noChoice, 1, many), " Purple ", many);
    expect(answerTo(many, choice)).toEqual(["Green", "Purple"]);
    expect(answerTo(many, chooseOther(choice, many))).toEqual(["Green"]);
  });
});

test("a question without options is answered in words", () => {
  expect(answerTo(free, writeOther(noChoice, "Port 8080.", free))).toEqual(["Port 8080."]);
});

test("an ask has answers when each of its questions has one", () => {
  const red = chooseOption(noChoice, 0, one);
  expect(answersOf([one, many], [red])).toBeNull();
  expect(answersOf([one, many], [red, noChoice])).toBeNull();
  expect(answersOf([one, many], [red, chooseOption(noChoice, 1, many)])).toEqual([["Red"], ["Green"]]);
  expect(answersOf([], [])).toBeNull();
});

test("a digit applies to the focused question, else to the first without an answer", () => {
  const red = chooseOption(noChoice, 0, one);
  expect(askedNow([one, many], [], null)).toBe(0);
  expect(askedNow([one, many], [red], null)).toBe(1);
  expect(askedNow([one, many], [red], 0)).toBe(0);
  expect(askedNow([one], [red], null)).toBe(0);
  expect(askedNow([], [], null)).toBeNull();
});
