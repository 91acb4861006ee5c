import { describe, expect, it } from "vitest";
import { admit, failedForGood, move, proven, submit } from "../../../test/support/core/deliveries.ts";
import type { Api } from "../../../test/support/daemon/http-api.ts";
import { anApi } from "../../../test/support/daemon/http-api.ts";
import { testService } from "../../../test/support/daemon/test-service.ts";
import { dayBefore, dayOf } from "../../core/lane/lane.ts";

const dayMs = 24 * 3600_000;
const now = Date.now();

/** Three lanes, one of them without any statistics. */
async function withDays(): Promise<Api> {
  const api = anApi({ service: testService(["demo", "other", "idle"]) });
  await api.service.ready();
  const { store } = api.service;
  const ended = async (id: string, lane: string, at: number, end: typeof proven | typeof failedForGood) => {
    const record = await admit(store, { id, recipient: { kind: "lane", lane }, createdAt: at - 2000 });
    const event = end === failedForGood ? failedForGood(at) : proven({ at });
    await move(store, record, submit(record), event);
  };
  await ended("m1", "demo", now - 3 * dayMs, proven);
  await ended("m2", "demo", now, proven);
  await ended("m3", "demo", now, failedForGood);
  await ended("m4", "other", now, proven);
  await store.countUsage("other", [{ messageId: "a", day: dayOf(now), tokens: 7, cost: 0.5 }]);
  return api;
}

describe("statistics", () => {
  it("are listed by lane and day, with daily totals over all lanes", async () => {
    const { ask } = await withDays();
    const once = { count: 1, meanMs: 2000, p50Ms: 2000, p95Ms: 2000, maxMs: 2000 };
    const none = { failed: 0, cancelled: 0, retries: 0, tokens: 0, cost: 0, firstToken: null };
    const answered = { ...none, responded: 1, accept: once, proof: once };
    const [then, today] = [dayOf(now - 3 * dayMs), dayOf(now)];
    const answer = await ask("/v1/stats?days=7");
    expect([answer.status, answer.json()]).toEqual([
      200,
      {
        from: dayBefore(now, 6),
        to: today,
        days: [
          { day: then, lane: "demo", ...answered },
          { day: today, lane: "demo", ...answered, failed: 1 },
          { day: today, lane: "other", ...answered, tokens: 7, cost: 0.5 },
        ],
        totals: [
          { day: then, ...answered },
          {
            ...{ ...none, day: today, responded: 2, failed: 1, tokens: 7, cost: 0.5 },
            accept: { ...once, count: 2, p50Ms: expect.any(Number) },
            proof: { ...once, count: 2, p50Ms: expect.any(Number) },
          },
        ],
      },
    ]);
  });

  it("go back as many days as requested, 30 by default", async () => {
    const { ask } = await withDays();
    const daysOf = async (query: string) => {
      const { from, days } = (await ask(`/v1/stats${query}`)).json() as { from: string; days: unknown[] };
      return [from, days.length];
    };
    expect(await daysOf("?days=1")).toEqual([dayOf(now), 2]);
    expect(await daysOf("")).toEqual([dayBefore(now, 29), 3]);
    expect(await daysOf("?days=400")).toEqual([dayBefore(now, 399), 3]);
  });

  it("can be filtered by lane, even a removed one, but not by a lane that never existed", async () => {
    const { ask, service } = await withDays();
    await service.removeLane("other", true);
    const other = { days: [{ lane: "other" }], totals: [{ responded: 1 }] };
    expect((await ask("/v1/stats?lane=other")).json()).toMatchObject(other);
    expect((await ask("/v1/stats?lane=idle")).json()).toMatchObject({ days: [], totals: [] });
    expect(await ask("/v1/stats?lane=nobody")).toMatchObject({ status: 404 });
  });

  it.each(["days=0", "days=401", "days=1.5", "days=-1", "days=many", "days=", "day=1"])(
    "%s is refused",
    async (query) => {
      const answer = await anApi().ask(`/v1/stats?${query}`);
      expect([answer.status, answer.json()]).toMatchObject([400, { error: { code: "invalid_request" } }]);
    },
  );
});
