import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ModelCall } from "@waybill/scripted-model";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OpencodeWorld } from "../support/opencode/opencode-world.ts";

const lanes = ["ada", "ben", "cleo", "dan", "eve"];
const numbers = Array.from({ length: 20 }, (_, index) => index + 1);

let world: OpencodeWorld;
beforeAll(async () => {
  world = new OpencodeWorld({ lanes: lanes.map((id) => ({ id, directory: join("work", id) })) });
  for (const id of lanes) mkdirSync(join(world.work, id));
  await world.start();
});
afterAll(() => world.dispose());

test("twenty messages to each of five lanes are answered in order, one at a time per lane, with lanes in parallel", async () => {
  const say = "{{1}} has {{2}} of 20.";
  // The first two take so long that the calls of different lanes overlap, however slow the server is.
  const long = { when: "/(\\w+) gets number ([12])\\./", steps: [{ waitMs: 4000, say }] };
  world.script({ rules: [long, { when: "/(\\w+) gets number (\\d+)/", steps: [{ waitMs: 50, say }] }] });
  for (const number of numbers) {
    for (const id of lanes) await world.send(`${id}-${number}`, `${id} gets number ${number}.`, { to: { lane: id } });
  }
  for (const id of lanes) {
    for (const number of numbers) {
      const record = await world.until(`${id}-${number}`, ({ status }) => status === "responded", id);
      expect(record.attempts).toBe(1);
    }
  }
  const turns = world.model.calls.filter((call) => call.kind === "turn");
  const of = (id: string) => turns.filter((call) => call.prompt.includes(`${id} gets number`));
  for (const id of lanes) {
    expect(of(id).map((call) => Number(/number (\d+)/.exec(call.prompt)?.[1]))).toEqual(numbers);
    expect(
      of(id)
        .slice(1)
        .filter((call, place) => overlap(call, of(id)[place])),
    ).toEqual([]);
  }
  const besides = turns.filter((call) => turns.some((other) => other !== call && overlap(call, other)));
  expect(besides.length).toBeGreaterThan(lanes.length);
});

function overlap(one: ModelCall, other: ModelCall | undefined): boolean {
  if (!other) return false;
  return one.at < (other.endedAt ?? Number.POSITIVE_INFINITY) && other.at < (one.endedAt ?? Number.POSITIVE_INFINITY);
}
