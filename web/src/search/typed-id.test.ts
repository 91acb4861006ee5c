import { expect, it } from "vitest";
import { isDeliveryId, mayBeId } from "./typed-id.ts";

const full = "0123456789abcdef".repeat(4);

it("a delivery's id has 64 hexadecimal digits", () => {
  expect(isDeliveryId(full)).toBe(true);
  expect(isDeliveryId(full.slice(1))).toBe(false);
});

it("senders choose message ids, so a word may be one, but a sentence is not", () => {
  expect(mayBeId("build-17")).toBe(true);
  expect(mayBeId("is it green")).toBe(false);
  expect(mayBeId("")).toBe(false);
  expect(mayBeId("a".repeat(129))).toBe(false);
});
