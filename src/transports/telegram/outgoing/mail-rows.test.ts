import { expect, test } from "vitest";
import type { EventBody, UniversalEvent } from "../../../core/turn/universal-event.ts";
import { turnCost } from "./mail-rows.ts";

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

test("the costs of a turn's messages are added up, without those of other turns", () => {
  const events = [usage(2, 9), started(2, "b"), usage(1, 0.25), usage(1, 0.5), started(1, "a")];
  expect(turnCost(events, "a")).toBe(0.75);
});

test("the cost of the whole turn is not added to the costs of its messages", () => {
  expect(turnCost([usage(1, 0.75, "turn"), usage(1, 0.5), usage(1, 0.25), started(1, "a")], "a")).toBe(0.75);
});

test("the cost is null for a turn without one, and for an unknown turn", () => {
  expect(turnCost([usage(1, null), started(1, "a")], "a")).toBeNull();
  expect(turnCost([usage(1, 1), started(1, "a")], "b")).toBeNull();
});
