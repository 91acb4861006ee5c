/**
 * A Waybill that follows the files of a team is killed at every point where a crash could cost a row, and started
 * again. The run has rows for members that it runs, requests, an archive, messages to and answers from members that it
 * does not run, copies for the owner, and an older file that another program writes back in between.
 */
import { describe, expect, test } from "vitest";
import type { FailPoint } from "../../src/core/delivery/fail-points.ts";
import { expectWholeAfter, inboxPoints, undisturbedRun } from "../support/teams/inbox-kills.ts";

/**
 * A point that is reached often is reached for different reasons; `npm run test:long` has all of them. On a busy
 * machine more rows share a rewrite or commit.
 */
function timesOf(point: FailPoint): readonly number[] {
  if (point.startsWith("store.")) return [2, 15, 30];
  if (/^inbox\.(locked|written|renamed|verified)$/.test(point)) return [1, 7, 13];
  if (point === "inbox.handed_over") return [1, 6, 11];
  if (point === "inbox.answered") return [1, 2];
  return /archived|read_commit_failed|attempts_searched/.test(point) ? [1] : [1, 5];
}

const baseline = undisturbedRun();
baseline.catch(() => {});

test("an undisturbed run passes these fail points, and ends as expected", async () => {
  const { world, result } = await baseline;
  expect(inboxPoints.filter((point) => !(point in result.reached))).toEqual([]);
  const { errors, findings, deliveries, handOvers, terminated } = result;
  expect({ errors, findings, terminated }).toEqual({ errors: [], findings: [], terminated: ["sid"] });
  const answered = { status: "responded", attempts: 1, isRead: true, diagnostics: [] };
  expect(Object.values(deliveries)).toEqual(Array.from({ length: 7 }, () => answered));
  expect(new Set(Object.values(handOvers))).toEqual(new Set(["nate", "nora", "user"].map((to) => `${to} handed_over`)));
  expect(result.mail).toEqual([
    [null, "nate", "To the person."],
    ["t3", "tom", "The port is 8080."],
  ]);
  world.expectWhole(result);
});

const kills = inboxPoints.flatMap((point) => timesOf(point).map((times) => `${point}@${times}`));
describe.concurrent("killed with SIGKILL and started again, no row is lost, duplicated or damaged", () => {
  test.each(kills)("at %s", async (point) => expectWholeAfter(point, (await baseline).result));
});
