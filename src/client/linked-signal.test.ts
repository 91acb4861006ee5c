import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { linked } from "./linked-signal.ts";

test("many requests under one signal hang on one listener, and end with it", () => {
  const source = new AbortController();
  const many = Array.from({ length: 30 }, () => linked([source.signal]));
  expect(getEventListeners(source.signal, "abort")).toHaveLength(1);
  many[0]?.release();
  source.abort("enough");
  expect(many.map(({ signal }) => signal.reason)).toEqual([undefined, ...Array(29).fill("enough")]);
});

test("nothing is left on a signal once all of them are released", () => {
  const source = new AbortController();
  const many = Array.from({ length: 3 }, () => linked([source.signal]));
  for (const one of many) one.release();
  expect(getEventListeners(source.signal, "abort")).toHaveLength(0);
  const later = linked([source.signal]);
  source.abort("enough");
  expect(later.signal.reason).toBe("enough");
});

test("a signal that was aborted before counts at once", () => {
  expect(linked([undefined, AbortSignal.abort("enough")]).signal.reason).toBe("enough");
});
