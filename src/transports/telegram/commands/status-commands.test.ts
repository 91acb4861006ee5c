import { describe, expect, test } from "vitest";
import { aRecord } from "../../../../test/support/core/records.ts";
import { aLane } from "../../../../test/support/daemon/waybill.ts";
import type { LaneState } from "../../../service/service.ts";
import { statusText } from "./status-commands.ts";

const lane = { ...aLane(), pausedReason: null, teamHold: null, sessionId: "ses-1", generation: 2, version: 1 };
const idle: LaneState = {
  ...{ lane, runtimeReady: true, holder: null, waiting: 0, waitReason: null, notices: [] },
  usage: { tokens: 1, cost: 0.125, lifted: false },
};
const textOf = (state: Partial<LaneState>, openAsks = 0, boundTo: string | null = null) =>
  statusText({ state: { ...idle, ...state }, boundTo, openAsks, now: 66_000 });

describe("the status", () => {
  test("of an idle lane shows where it works and what it has used", () => {
    expect(textOf({}).split("\n")).toEqual([
      "**Idle.**",
      "",
      "- Workspace: `/tmp`",
      "- Lane: `lane`",
      "- Runtime: stub (ready)",
      "- Session: `ses-1` (number 2)",
      "- Waiting: nothing",
      "- Today: $0.13, 1 token",
    ]);
  });

  test("says how long the agent has worked on a message, and in which attempt", () => {
    expect(textOf({ holder: { ...aRecord(), attempts: 2 } })).toContain("Working for 1 min 5 s, attempt 2.");
  });

  test("says that a paused lane is still working on its message", () => {
    const paused = { ...lane, pausedReason: "lunch" };
    expect(textOf({ lane: paused, holder: aRecord() })).toContain("Working for 1 min 5 s. Paused (lunch) after that.");
    expect(textOf({ lane: paused })).toContain("**Paused (lunch).**");
  });

  test("shows why messages wait, open asks, notices and the binding", () => {
    const notices = [{ code: "x", message: "The disk is full." }];
    const text = textOf({ waiting: 2, waitReason: "session_busy", notices, runtimeReady: false }, 1, "crew/tom");
    expect(text).toContain("**About to start.**");
    expect(text).toContain("Waiting: 2 messages (session_busy)");
    expect(text).toContain("The agent is waiting for 1 answer from you.");
    expect(text).toContain("⚠️ The disk is full.");
    expect(text).toContain("(this topic is bound to crew/tom)");
    expect(text).toContain("stub (not ready)");
  });
});
