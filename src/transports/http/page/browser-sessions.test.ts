import { expect, test } from "vitest";
import { ManualClock } from "../../../../test/support/core/manual-clock.ts";
import { makeBrowserSessions } from "./browser-sessions.ts";

const dayMs = 24 * 60 * 60_000;

test("a session is valid for seven days", async () => {
  const clock = new ManualClock();
  const sessions = makeBrowserSessions("token", clock);
  const value = sessions.begin();
  await clock.advance(7 * dayMs - 1);
  expect(sessions.isValid(value)).toBe(true);
  await clock.advance(1);
  expect([sessions.isValid(value), sessions.isDueForRenewal(value)]).toEqual([false, false]);
});

test("a session is due for renewal after more than a day", async () => {
  const clock = new ManualClock();
  const sessions = makeBrowserSessions("token", clock);
  const value = sessions.begin();
  await clock.advance(dayMs);
  expect(sessions.isDueForRenewal(value)).toBe(false);
  await clock.advance(1);
  expect(sessions.isDueForRenewal(value)).toBe(true);
});

test("a session survives a restart, and ends when the token changes", () => {
  const clock = new ManualClock();
  const value = makeBrowserSessions("token", clock).begin();
  expect(makeBrowserSessions("token", clock).isValid(value)).toBe(true);
  expect(makeBrowserSessions("other", clock).isValid(value)).toBe(false);
});

test("no two sessions are the same, and none reveals the token", () => {
  const sessions = makeBrowserSessions("token", new ManualClock());
  const [one, other] = [sessions.begin(), sessions.begin()];
  expect(one).not.toBe(other);
  expect(one).toMatch(/^v1\.\d+\.[\w-]{22}\.[\w-]{43}$/);
});

test("a session that was tampered with is invalid", async () => {
  const clock = new ManualClock();
  const sessions = makeBrowserSessions("token", clock);
  const value = sessions.begin();
  const [version, expires, random, mac] = value.split(".") as [string, string, string, string];
  const later = String(Number(expires) + dayMs);
  const turned = (text: string) => (text.startsWith("A") ? "B" : "A") + text.slice(1);
  // The last character of the MAC carries two unused bits; a decoder would accept any value for them.
  const loose = mac.slice(0, -1) + String.fromCharCode(mac.charCodeAt(42) + 1);
  const forged = [
    [version, later, random, mac],
    [version, expires, turned(random), mac],
    [version, expires, random, turned(mac)],
    [version, expires, random, loose],
    [version, expires, random],
    [version, expires, random, mac, ""],
    ["v2", expires, random, mac],
    [version, "", random, mac],
    [version, `-${expires}`, random, mac],
    [version, `${expires}\n`, random, mac],
    [version, expires, `${random}${mac}`, ""],
  ].map((parts) => parts.join("."));
  for (const one of ["", ".", "...", "forged", ` ${value}`, `${value} `, ...forged]) {
    expect(sessions.isValid(one), one).toBe(false);
  }
  expect(sessions.isValid(value)).toBe(true);
});
