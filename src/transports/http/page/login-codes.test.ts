import { expect, test } from "vitest";
import { ManualClock } from "../../../../test/support/core/manual-clock.ts";
import { makeLoginCodes } from "./login-codes.ts";

test("a code works once", () => {
  const codes = makeLoginCodes(new ManualClock());
  const { code } = codes.newCode();
  expect([codes.redeem(code), codes.redeem(code)]).toEqual([true, false]);
});

test("a code works for ten minutes", async () => {
  const clock = new ManualClock();
  const codes = makeLoginCodes(clock);
  const [first, second] = [codes.newCode(), codes.newCode()];
  expect(first.expiresAt).toBe(clock.now() + 600_000);
  await clock.advance(599_999);
  expect(codes.redeem(first.code)).toBe(true);
  await clock.advance(1);
  expect(codes.redeem(second.code)).toBe(false);
});

test("a code that was never issued is invalid", () => {
  const codes = makeLoginCodes(new ManualClock());
  const { code } = codes.newCode();
  for (const guess of ["", "x", code.slice(1), `${code}x`, code.toLowerCase()]) expect(codes.redeem(guess)).toBe(false);
  expect(makeLoginCodes(new ManualClock()).redeem(code)).toBe(false);
});

test("only the newest hundred unused codes are kept", () => {
  const codes = makeLoginCodes(new ManualClock());
  const made = Array.from({ length: 101 }, () => codes.newCode().code);
  expect(made.map(codes.redeem)).toEqual([false, ...Array.from({ length: 100 }, () => true)]);
});
