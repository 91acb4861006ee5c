/**
 * A Waybill that follows the files of a team, killed at every place where a crash could cost a row, and started again: rows for
 * members that it runs, requests, an archive, messages and answers to members that others run, copies for the person, and an
 * older file that another program writes back in the middle of it.
 */
import { describe, expect, test } from "vitest";
import type { FailPoint } from "../../src/core/delivery/fail-points.ts";
import { inboxFailPoints } from "../../src/core/delivery/fail-points.ts";
import { InboxWorld } from "../support/inbox-kills.ts";

/** The commits that matter to files; the others are those of any message. */
const commits = (["admitted", "attempts_searched", "proven", "read_committed", "read_commit_failed"] as const).flatMap(
  (type): FailPoint[] => [`before_commit.${type}`, `after_commit.${type}`],
);
const points: readonly FailPoint[] = [...inboxFailPoints, ...commits, "store.written", "store.committed"];

/** What is reached often is reached for different reasons. On a busy machine more rows share one rewrite or commit. */
function timesOf(point: FailPoint): readonly number[] {
  if (point.startsWith("store.")) return [2, 8, 15, 22, 30];
  if (/^inbox\.(locked|written|renamed|verified)$/.test(point)) return [1, 4, 7, 10, 13, 16];
  if (point === "inbox.handed_over") return [1, 3, 5, 7, 9, 11];
  if (point === "inbox.answered") return [1, 2];
  return /archived|read_commit_failed|attempts_searched/.test(point) ? [1] : [1, 4, 6];
}

const baseline = (async () => {
  const world = new InboxWorld();
  const result = await world.finish();
  return { world, result };
})();
baseline.catch(() => {});

test("an undisturbed run passes these fail points, and ends as expected", async () => {
  const { world, result } = await baseline;
  expect(points.filter((point) => !(point in result.reached))).toEqual([]);
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

const kills = points.flatMap((point) => timesOf(point).map((times) => `${point}@${times}`));
describe.concurrent("killed with SIGKILL and started again, no row is lost, doubled or damaged", () => {
  test.each(kills)("at %s", async (point) => {
    const world = new InboxWorld();
    const { signal, stdout, stderr } = await world.run(point);
    expect({ signal, stdout, stderr }).toEqual({ signal: "SIGKILL", stdout: "", stderr: "" });
    world.expectForeignRows();
    // That a lock counts as left behind only after ten seconds is waited for at some of them.
    if (!point.endsWith("@1")) world.ageLocks();
    const answered = world.responses();
    const result = await world.finish();
    const { result: undisturbed } = await baseline;
    const { reached: _, asked, ...outcome } = result;
    const { reached: __, asked: ___, ...expected } = undisturbed;
    expect(outcome).toEqual(expected);
    expect(asked.filter((id) => answered.includes(id))).toEqual([]);
    world.expectWhole(result);
  });
});
