import type { Session } from "@opencode-ai/sdk/v2/types";
import { describe, expect, test } from "vitest";
import { aLane } from "../../../../test/support/daemon/waybill.ts";
import { ProjectedLane, settings } from "../../../../test/support/opencode/projected-lane.ts";
import type { SignalBody } from "../../../core/turn/signal.ts";
import { SessionProjection } from "../projection/session-projection.ts";
import { LaneRegistry, selectLanes, snapshotEvents } from "./current-lanes.ts";

const info = { id: "ses_chat" } as Session;
const asks = (ask: string): SignalBody => ({ type: "permission", ask, title: "Bash: ls", call: "c1", detail: null });
const runs: SignalBody = {
  type: "tool",
  message: "a1",
  call: "c1",
  name: "Bash",
  state: { status: "running", input: { command: "ls" } },
};

function working(...said: SignalBody[]): ProjectedLane {
  const lane = new ProjectedLane(new SessionProjection(settings, { following: true }));
  lane.admits("m1");
  lane.sends("m1", "p1");
  lane.says({ type: "prompt", message: "p1", parts: [] }, { type: "busy" }, ...said);
  return lane;
}

function published({ projection }: ProjectedLane): string[] {
  const [own] = projection.sessions;
  if (!own) throw new Error("a lane has a session");
  return snapshotEvents(own, info, 5).map(({ type, properties }) => {
    const { status, part } = properties as Record<string, { type?: string; text?: string } | undefined>;
    return [type, part?.type, part?.text, status?.type].filter((word) => word !== undefined).join(" ");
  });
}

const delta = (text: string): SignalBody => ({ type: "delta", message: "a1", part: "a1-1", kind: "text", text });

describe("the snapshot of a session", () => {
  test("has the newest turn so far, its asks after their calls, and the busy status", () => {
    const lane = working(delta("I lo"), delta("ok."), runs, asks("ask-1"));
    expect(published(lane)).toEqual([
      "session.updated",
      "message.updated",
      "message.part.updated text go",
      "message.updated",
      "message.part.updated step-start",
      "message.part.updated text I look.",
      "message.part.updated tool",
      "permission.asked",
      "session.status busy",
    ]);
  });

  test("has the answered asks of the newest turn as answered, and none of earlier turns", () => {
    const lane = working(runs, asks("ask-1"), { type: "permission_over", ask: "ask-1", outcome: "once" });
    expect(published(lane)).toContain("permission.replied");
    expect(published(lane)).not.toContain("permission.asked");
    lane.says({ type: "rest" });
    lane.ends("m1", "responded");
    expect(published(lane).at(-1)).toBe("session.status idle");
    lane.admits("m2");
    lane.sends("m2", "p2");
    lane.says({ type: "prompt", message: "p2", parts: [] }, { type: "busy" });
    expect(published(lane)).not.toContain("permission.replied");
  });

  test("has the waiting messages, and the one being answered", () => {
    const lane = working();
    lane.admits("m2", "second");
    lane.admits("m3", "third");
    lane.says({ type: "rest" });
    lane.ends("m1", "responded");
    lane.sends("m2", "p2");
    lane.says({ type: "prompt", message: "p2", parts: [] }, { type: "busy" });
    const texts = published(lane).filter((line) => line.startsWith("message.part.updated text"));
    expect(texts.map((line) => line.split(" ").at(-1))).toEqual(expect.arrayContaining(["second", "third"]));
  });

  test("has the newest messages of a very long turn", () => {
    const lane = working();
    for (let step = 0; step < 300; step++) {
      const message = `a${step}`;
      lane.says({ type: "part", message, part: `${message}-1`, kind: "text", text: `Step ${step}.` });
      lane.says({ type: "message_done", message, error: null, usage: null });
    }
    const lines = published(lane);
    expect(lines.filter((line) => line === "message.updated")).toHaveLength(100);
    expect(lines).toContain("message.part.updated text Step 299.");
  });
});

describe("the lanes in a snapshot", () => {
  const minute = 60_000;
  const rested = (lane: string, minutes: number) => ({ lane, isAtWork: false, changedAt: (100 - minutes) * minute });

  test("are those that are busy, however long, and those with recent events", () => {
    const bearings = [rested("old", 11), rested("new", 10), { lane: "busy", isAtWork: true, changedAt: 0 }];
    expect(selectLanes(bearings, 100 * minute)).toEqual(["busy", "new"]);
  });

  test("are limited to fifty: the busy ones first, then the newest", () => {
    const many = Array.from({ length: 80 }, (_, index) => rested(`lane-${index}`, index / 10));
    const wanted = selectLanes([...many, { lane: "busy", isAtWork: true, changedAt: 0 }], 100 * minute);
    expect([wanted.length, wanted[0], wanted[1], wanted.at(-1)]).toEqual([50, "busy", "lane-0", "lane-48"]);
  });
});

const laneOf = (id: string) => ({
  ...aLane({ id }),
  pausedReason: null,
  teamHold: null,
  sessionId: null,
  generation: 0,
  version: 1,
});

test("the time of a lane's last event is forgotten with the lane, and not recorded for a removed one", () => {
  const lanes = new LaneRegistry([laneOf("one")]);
  lanes.setLastEventAt("one", 5);
  lanes.setLastEventAt("nobody", 5);
  expect([lanes.lastEventAt("one"), lanes.lastEventAt("nobody")]).toEqual([5, null]);
  lanes.update("one", null);
  lanes.setLastEventAt("one", 6);
  expect(lanes.lastEventAt("one")).toBeNull();
  lanes.update("one", laneOf("one"));
  expect(lanes.lastEventAt("one")).toBeNull();
});

test("the last thousand removed lanes are remembered", () => {
  const lanes = new LaneRegistry([]);
  const ids = Array.from({ length: 1010 }, (_, index) => `lane-${index}`);
  for (const id of ids) {
    lanes.update(id, laneOf(id));
    lanes.update(id, null);
  }
  expect(ids.filter((id) => lanes.previous(id).lane !== null)).toEqual(ids.slice(10));
});
