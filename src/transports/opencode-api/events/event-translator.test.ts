import { expect, test } from "vitest";
import { settled } from "../../../../test/support/core/manual-clock.ts";
import { serviceOf } from "../../../../test/support/daemon/service-of.ts";
import { aLane, startWorld } from "../../../../test/support/daemon/waybill.ts";
import { ProjectedLane, settings } from "../../../../test/support/opencode/projected-lane.ts";
import { universalEventTypes } from "../../../core/turn/universal-event.ts";
import { AppError } from "../../../platform/app-error.ts";
import type { LaneState } from "../../../service/service.ts";
import { childSessionOf } from "../ids.ts";
import { sessionView } from "../projection/session-view.ts";
import type { TranslatorDeps } from "./event-translator.ts";
import { EventTranslator } from "./event-translator.ts";

const lane = { ...aLane({ id: settings.lane }), pausedReason: null, sessionId: null, generation: 1 };

test("a child session is created with its first event, and names its parent", async () => {
  const translator = new EventTranslator(
    {
      service: {
        lane: async () => ({ lane }) as LaneState,
        eventsBefore: async () => [],
        deliveries: async () => ({ items: [], next: null }),
      },
      sessionInfo: async (of, updatedAt) => sessionView(of, { projectID: "global", updatedAt, version: "0" }),
      report: (error) => {
        throw error;
      },
    },
    { withDeltas: true },
  );
  const agent = new ProjectedLane();
  agent.says(
    { type: "prompt", message: "p1", parts: [{ type: "text", id: "t", text: "go" }] },
    { type: "tool", message: "a1", call: "c1", name: "Task", state: { status: "running", input: {} } },
  );
  const below = { nativeSession: "native-1" };
  agent.says(
    { type: "message", message: "b1", prompt: null, parent: "c1", ...below },
    { type: "part", message: "b1", part: "b1-1", kind: "text", text: "I look.", ...below },
  );
  const published = [];
  for (const event of agent.log) published.push(...(await translator.translate(event)).events);
  const sessionID = childSessionOf(settings.lane, "native-1");
  const ofIt = published.filter(({ event }) => event.properties.sessionID === sessionID).map(({ event }) => event);
  expect(ofIt[0]).toMatchObject({
    type: "session.created",
    properties: { info: { id: sessionID, parentID: `ses_${settings.lane}`, directory: lane.directory } },
  });
  expect(ofIt.filter(({ type }) => type === "session.created")).toHaveLength(1);
  expect(ofIt.map(({ type }) => type)).toContain("message.part.updated");
});

test("of many idle lanes only the newest are remembered, and the others are translated the same way", async () => {
  const lanes = ["one", "two", "three"];
  const world = await startWorld({
    script: { always: [{ steps: [{ say: "Well." }] }] },
    lanes: lanes.map((id) => ({ id })),
  });
  for (const round of [1, 2]) {
    for (const id of lanes) {
      await world.send({ id: `m${round}-${id}`, to: { lane: id } });
      await world.clock.until(async () => (await world.delivery(`m${round}-${id}`, id)).status === "responded");
    }
  }
  await settled();
  const deps: TranslatorDeps = {
    service: serviceOf(world.waybill),
    sessionInfo: async (of, updatedAt) => sessionView(of, { projectID: "global", updatedAt, version: "0" }),
    report: (error) => world.errors.push(error),
  };
  const [all, few] = [
    new EventTranslator(deps, { withDeltas: true }),
    new EventTranslator(deps, { withDeltas: true, maxLanes: 1 }),
  ];
  const { items } = await world.waybill.store.readLog({ types: universalEventTypes, limit: 500 });
  const events = items.flatMap((item) => (item.type === "event" ? [item.event] : []));
  expect(new Set(events.map((event) => event.lane))).toEqual(new Set(lanes));
  for (const event of events) expect(await few.translate(event)).toEqual(await all.translate(event));
  const remembered = (translator: EventTranslator) => lanes.filter((id) => translator.sessions(id).length > 0);
  expect(remembered(all)).toEqual(lanes);
  expect(remembered(few)).toEqual(["three"]);
});

test("a lane that is removed while its past is read publishes nothing and is not remembered", async () => {
  let isThere = true;
  const translator: EventTranslator = new EventTranslator(
    {
      service: {
        lane: async () => {
          if (isThere) return { lane } as LaneState;
          throw new AppError({ code: "lane_unknown", message: "It is gone." });
        },
        eventsBefore: async () => [],
        deliveries: async () => {
          isThere = false;
          translator.updateLane(settings.lane, null);
          return { items: [], next: null };
        },
      },
      sessionInfo: async (of, updatedAt) => sessionView(of, { projectID: "global", updatedAt, version: "0" }),
      report: (error) => {
        throw error;
      },
    },
    { withDeltas: true },
  );
  const agent = new ProjectedLane();
  agent.says({ type: "prompt", message: "p1", parts: [{ type: "text", id: "t", text: "go" }] });
  for (const event of agent.log) expect((await translator.translate(event)).events).toEqual([]);
  expect(translator.sessions(settings.lane)).toEqual([]);
});
