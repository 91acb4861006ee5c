import { expect, test } from "vitest";
import type { EventBody, UniversalEvent } from "../../../core/turn/universal-event.ts";
import { turnCost } from "./turn-cost.ts";

const tokens = { input: 1, output: 1, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
const at = (turn: number, body: EventBody) =>
  ({
    id: "e",
    seq: 1,
    time: 0,
    lane: "l",
    session: "s",
    turn,
    source: "agent",
    synthetic: false,
    ...body,
  }) as UniversalEvent;
const started = (turn: number, prompt: string) => at(turn, { type: "turn.started", data: { prompt } });
const usage = (turn: number, cost: number | null, of: "message" | "turn" = "message") =>
  at(turn, { type: "usage", data: { of, item: null, model: null, tokens, cost } });

test("the messages of a turn are added up, and those of other turns left out", () => {
  const events = [usage(2, 9), started(2, "b"), usage(1, 0.25), usage(1, 0.5), started(1, "a")];
  expect(turnCost(events, "a")).toBe(0.75);
});

test("what the whole turn used is not added to what its messages used", () => {
  expect(turnCost([usage(1, 0.75, "turn"), usage(1, 0.5), usage(1, 0.25), started(1, "a")], "a")).toBe(0.75);
});

test("a turn without a cost, or one that is not found, has none", () => {
  expect(turnCost([usage(1, null), started(1, "a")], "a")).toBeNull();
  expect(turnCost([usage(1, 1), started(1, "a")], "b")).toBeNull();
});
