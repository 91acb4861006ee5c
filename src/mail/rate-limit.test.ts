import { expect, test } from "vitest";
import { ManualClock } from "../../test/support/core/manual-clock.ts";
import { RateLimit } from "./rate-limit.ts";

test("messages beyond the limit are refused until the oldest is a minute old, for each sender alone", async () => {
  const clock = new ManualClock();
  const limit = new RateLimit(2, clock);
  limit.take("tom");
  await clock.advance(20_000);
  limit.take("tom");
  expect(() => limit.take("tom")).toThrow(/2 messages within a minute/);
  limit.take("ada");
  await clock.advance(39_999);
  expect(() => limit.take("tom")).toThrow();
  await clock.advance(1);
  limit.take("tom");
});

test("senders that are silent for a minute are forgotten", async () => {
  const clock = new ManualClock();
  const sent = new Map<string, number[]>();
  const limit = new RateLimit(2, clock, sent);
  for (let sender = 0; sender < 100; sender++) {
    limit.take(`agent-${sender}`);
    await clock.advance(10_000);
  }
  expect(sent.size).toBeLessThan(20);
  await clock.advance(60_000);
  limit.take("tom");
  expect([...sent.keys()]).toEqual(["tom"]);
});
