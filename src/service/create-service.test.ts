/** Tests the service on a whole Waybill with a scripted agent. */

import { describe, expect, test } from "vitest";
import { deliveryOf } from "../../test/support/core/records.ts";
import type { WorldOptions } from "../../test/support/daemon/waybill.ts";
import { startWorld } from "../../test/support/daemon/waybill.ts";
import { AppError } from "../platform/app-error.ts";
import type { RunningProgram, Runtime } from "../runtimes/port.ts";
import { runtimeDescriptors } from "../runtimes/registry.ts";
import { createService } from "./create-service.ts";
import type { FollowedItem } from "./service.ts";

const answers = { always: [{ steps: [{ say: "Yes: 412." }] }] };
const silent = { always: [{ steps: [] }] };

async function serviceOn(options: WorldOptions) {
  const world = await startWorld(options);
  const draining = new AbortController();
  const service = createService({
    engine: world.waybill,
    resolveDirectory: (path) => `/real${path}`,
    allowedDirectories: ["/allowed"],
    stateDirectories: ["/state"],
    runtimeDescriptors,
    defaults: { runtime: "stub", model: "scripted" },
    restart: () => {},
    checkRestart: () => {},
    now: () => world.clock.now(),
    draining: draining.signal,
    retriesAreOff: false,
  });
  const send = (id: string, text = "Is it green?") => service.send({ id, to: { lane: "lane" }, from: "user", text });
  const drain = () => {
    draining.abort();
  };
  return { world, service, send, drain };
}

const refused = (code: string) => expect.objectContaining({ code });

describe("sending", () => {
  test("a message gets an id when it has none, and its answer can be read", async () => {
    const { world, service } = await serviceOn({ script: answers });
    const sent = await service.send({ to: { lane: "lane" }, from: "user", text: "Is it green?" });
    expect(sent).toMatchObject({ known: false, delivery: { queuedBehind: null }, waits: null });
    await world.reaches(deliveryOf(sent).messageId, "responded");
    const detail = await service.delivery(deliveryOf(sent).id);
    expect(detail.message?.text).toBe("Is it green?");
    expect(detail.replies.map((mail) => mail.text)).toEqual(["Yes: 412."]);
    expect(detail.history[0]?.type).toBe("admitted");
    expect(detail.outlook.next).toBe("nothing");
  });

  test("sending the same message again returns the state of the first", async () => {
    const { world, send } = await serviceOn({ script: answers });
    await send("m1");
    await world.reaches("m1", "responded");
    expect(await send("m1")).toMatchObject({ known: true, delivery: { record: { status: "responded" } } });
  });

  test("a queued message names the one it waits for", async () => {
    const { send } = await serviceOn({ script: { always: [{ steps: [{ hang: true }] }] } });
    await send("m1");
    expect(await send("m2")).toMatchObject({
      delivery: { queuedBehind: { messageId: "m1" }, record: { status: "pending" } },
    });
    expect(await send("m3")).toMatchObject({ delivery: { queuedBehind: { messageId: "m1", needs: null } } });
  });

  test("a message behind an open ask says that a person is needed", async () => {
    const { world, service, send } = await serviceOn({ script: { always: [{ steps: [{ ask: "permission" }] }] } });
    await send("m1");
    await world.clock.until(async () => (await world.delivery("m1")).responseState === "permission_blocked");
    const sent = await send("m2");
    expect(sent.waits).toBe("lane is waiting for a permission from a person");
    const { outlook } = await service.delivery(deliveryOf(sent).id);
    expect(outlook.words).toBe("It is waiting for message m1 to end, whose agent is waiting for a permission.");
  });

  test("listed deliveries have the beginning of their messages, in whole characters", async () => {
    const { service, send } = await serviceOn({ script: answers });
    await send("m1", "Is it green?");
    await send("m2", "🚀".repeat(1000));
    const { items } = await service.deliveries({ limit: 10 });
    expect(items.map(({ excerpt }) => excerpt)).toEqual(["🚀".repeat(200), "Is it green?"]);
  });

  test("a team member is found regardless of case", async () => {
    const { service } = await serviceOn({ script: answers, lanes: [{ team: "beacon", member: "tom" }] });
    const sent = await service.send({ to: { team: "Beacon", member: "Tom" }, from: "user", text: "Hello?" });
    expect(deliveryOf(sent).laneId).toBe("lane");
    await expect(service.send({ to: { team: "beacon", member: "ann" }, from: "user", text: "Hello?" })).rejects.toEqual(
      refused("member_unknown"),
    );
  });

  test("nothing new is accepted while the daemon is draining", async () => {
    const { send, drain } = await serviceOn({ script: answers });
    drain();
    await expect(send("m1")).rejects.toEqual(refused("draining"));
  });
});

describe("interventions", () => {
  test("a waiting message can be withdrawn, a sent one cannot", async () => {
    const { service, send } = await serviceOn({ script: { always: [{ steps: [{ hang: true }] }] } });
    await send("m1");
    await send("m2");
    expect(await service.withdraw("m2")).toMatchObject({ record: { status: "cancelled" } });
    await expect(service.withdraw("m1")).rejects.toEqual(refused("not_possible"));
    await expect(service.withdraw("m9")).rejects.toEqual(refused("message_unknown"));
  });

  test("a message id that exists in several lanes needs the lane's name", async () => {
    const { service } = await serviceOn({ script: answers, lanes: [{}, { id: "other" }] });
    await service.pause("lane", "test");
    await service.pause("other", "test");
    for (const lane of ["lane", "other"]) await service.send({ id: "m1", to: { lane }, from: "user", text: "Hello?" });
    await expect(service.withdraw("m1")).rejects.toEqual(refused("message_ambiguous"));
    expect((await service.withdraw("m1", "other")).record.laneId).toBe("other");
  });

  test("only a failed delivery can be retried, and it can be cancelled", async () => {
    const { world, service, send } = await serviceOn({ script: silent, policy: { maxAttempts: 1 } });
    const record = deliveryOf(await send("m1"));
    await expect(service.retry(record.id)).rejects.toEqual(refused("not_possible"));
    await world.reaches("m1", "failed_terminal");
    expect((await service.retry(record.id)).record.status).toBe("pending");
    expect((await service.cancel(record.id)).record.status).toBe("cancelled");
    await expect(service.cancel(record.id)).rejects.toEqual(refused("not_possible"));
    await expect(service.cancel("nonsense")).rejects.toEqual(refused("delivery_unknown"));
  });

  test("a paused lane keeps its messages, and continues when resumed", async () => {
    const { world, service, send } = await serviceOn({ script: answers });
    expect((await service.pause("lane", "lunch")).lane.pausedReason).toBe("lunch");
    await send("m1");
    expect(await service.lane("lane")).toMatchObject({ waiting: 1, holder: null });
    await service.resume("lane");
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1 });
  });

  test("an abort stops the turn and cancels its delivery", async () => {
    const { world, service, send } = await serviceOn({ script: { always: [{ steps: [{ hang: true }] }] } });
    await send("m1");
    await world.reaches("m1", "accepted");
    await service.abort("lane");
    expect(await world.reaches("m1", "cancelled")).toMatchObject({ lastReason: "stopped_by_person" });
  });

  test("messages of a removed lane can be read, and a lane that never existed is an error", async () => {
    const { world, service, send } = await serviceOn({ script: answers });
    await send("m1");
    await world.reaches("m1", "responded");
    await service.removeLane("lane", true);
    expect((await service.messages({ lane: "lane", limit: 10 })).items).toHaveLength(2);
    expect((await service.deliveries({ lane: "lane", limit: 10 })).items).toHaveLength(1);
    for (const list of [service.messages, service.deliveries]) {
      await expect(list({ lane: "typo", limit: 10 })).rejects.toEqual(refused("lane_unknown"));
    }
  });

  test("an unknown lane is an error that lists the known ones", async () => {
    const { service } = await serviceOn({ script: answers });
    for (const ask of [service.lane, service.abort, service.resume, service.release]) {
      await expect(ask("nowhere")).rejects.toMatchObject({ code: "lane_unknown", hint: "Known lanes: lane." });
    }
    await expect(service.removeLane("nowhere", true)).rejects.toEqual(refused("lane_unknown"));
  });

  test("a new lane works in the resolved directory of its path", async () => {
    const { service } = await serviceOn({ script: answers });
    const rest = { displayName: "Tom", team: null, member: null, runtime: null, agent: null, model: null };
    const made = await service.putLane({ id: "tom", directory: "/work", contract: "text", ...rest });
    expect(made.lane).toMatchObject({ directory: "/real/work", runtime: "stub", displayName: "Tom" });
    await service.removeLane("tom", false);
    expect((await service.lanes()).map((state) => state.lane.id)).toEqual(["lane"]);
  });
});

describe("the choice of an agent or a model", () => {
  const rest = { displayName: null, team: null, member: null, directory: "/work", contract: "text" as const };

  test("is refused if it names both", async () => {
    const { service } = await serviceOn({ script: answers });
    const both = { id: "tom", ...rest, runtime: "opencode", agent: "reviewer", model: "a/b" };
    await expect(service.putLane(both)).rejects.toEqual(refused("lane_invalid"));
    const { lane } = await service.putLane({ ...both, model: null });
    expect(lane).toMatchObject({ agent: "reviewer", model: null });
  });
});

test("a lane shows what its agent has used today", async () => {
  const uses = { always: [{ steps: [{ uses: { tokens: 60, cost: 0.5 } }, { say: "There are 12." }] }] };
  const { world, service, send } = await serviceOn({ script: uses });
  await send("m1");
  await world.reaches("m1", "responded");
  expect((await service.lane("lane")).usage).toMatchObject({ tokens: 60, cost: 0.5 });
});

describe("following", () => {
  test("past and new items form one stream, without a gap", async () => {
    const { world, service, send } = await serviceOn({ script: answers });
    const after = service.logEnd();
    await send("m1");
    const stop = new AbortController();
    const seen: FollowedItem[] = [];
    const reading = (async () => {
      for await (const item of service.follow({ after, signal: stop.signal })) seen.push(item);
    })();
    await world.reaches("m1", "responded");
    await send("m2");
    await world.reaches("m2", "responded");
    stop.abort();
    await reading;
    const { items } = await world.waybill.store.readLog({ after, limit: 1000 });
    const kept = seen.filter(({ cursor }) => cursor !== null);
    expect(kept.map(({ cursor }) => cursor)).toEqual(items.slice(0, kept.length).map(({ cursor }) => cursor));
    expect(kept.filter((item) => item.type === "delivery" && item.event.type === "proven")).toHaveLength(2);
  });

  test("ends immediately when it is aborted and nothing happens", async () => {
    const { service } = await serviceOn({ script: answers });
    const stop = new AbortController();
    const next = service.follow({ signal: stop.signal })[Symbol.asyncIterator]().next();
    stop.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});

describe("readiness", () => {
  test("requires a writable store and runtimes that answer", async () => {
    const { service } = await serviceOn({ script: answers });
    expect(await service.readiness()).toEqual({ ready: true, degraded: false, reasons: [] });
  });

  test("lists the problems as codes", async () => {
    const { world, service, drain } = await serviceOn({ script: answers, lanes: [{}, { id: "pi", runtime: "pi" }] });
    world.waybill.store.probe = () =>
      Promise.reject(new AppError({ code: "store_unwritable", message: "no room on /dev/sda1" }));
    drain();
    expect(await service.readiness()).toEqual({
      ready: false,
      degraded: false,
      reasons: ["draining", "store_unwritable", "runtime_not_active:pi"],
    });
  });

  test("notices of single lanes make it degraded, and name no lane", async () => {
    const { world, service } = await serviceOn({ script: answers, lanes: [{}, { id: "two" }, { id: "three" }] });
    const runtime = world.waybill.runtimes.get("stub") as Runtime;
    const asked: string[][] = [];
    runtime.notices = ({ id }) => (id === "lane" ? [] : [{ code: "program_failing", message: `It fails in ${id}.` }]);
    runtime.health = async (_signal, lanes) => {
      asked.push(lanes.map(({ id }) => id));
      return null;
    };
    expect(await service.readiness()).toEqual({ ready: true, degraded: true, reasons: ["program_failing:stub"] });
    expect(asked.map((ids) => ids.toSorted())).toEqual([["lane", "three", "two"]]);
  });
});

describe("runtimes and workspaces", () => {
  test("runtimes are listed with the models that lanes and the configuration name", async () => {
    const { service } = await serviceOn({ script: answers });
    await service.putLane({ ...laneSettings, id: "other", runtime: "pi", model: "large" });
    expect(await service.runtimes()).toEqual([
      { kind: "stub", ready: true, isDefault: true, models: ["scripted"], takesSystem: false },
      { kind: "pi", ready: false, isDefault: false, models: ["large"], takesSystem: true },
    ]);
  });

  test("programs are listed by runtime, with its problem, and a runtime without lanes is not queried", async () => {
    const { world, service } = await serviceOn({ script: answers });
    await service.putLane({ ...laneSettings, id: "other", runtime: "pi" });
    const stub = world.waybill.runtimes.get("stub") as Runtime;
    const program: RunningProgram = {
      ...{ pid: 7, laneId: "lane", sessionId: "s", directory: "/there", version: null, startedAt: 5 },
      ...{ restarts: 1, events: "connected" },
    };
    stub.programs = () => [program];
    stub.health = async () => "It is on holiday.";
    const unused = { kind: "unused", health: () => Promise.reject(new Error("it was asked")) };
    (world.waybill.runtimes as Map<string, Runtime>).set("unused", unused as unknown as Runtime);
    expect(await service.programs()).toEqual({
      stub: { problem: "It is on holiday.", programs: [program] },
      pi: { problem: expect.stringContaining("could not be started"), programs: [] },
      unused: { problem: null, programs: [] },
    });
  });

  test("the workspace is the oldest lane's directory, unless another one is given", async () => {
    const { world, service } = await serviceOn({ script: answers });
    await world.clock.advance(1000);
    await service.putLane({ ...laneSettings, id: "a-newer-one" });
    const [oldest] = (await service.lanes()).filter(({ lane }) => lane.id === "lane");
    expect(await service.workspace()).toEqual({ directory: `/real${oldest?.lane.directory}`, denied: ["/state"] });
    expect(await service.workspace("/there")).toEqual({ directory: "/real/there", denied: ["/state"] });
  });
});

const laneSettings = {
  displayName: null,
  team: null,
  member: null,
  runtime: null,
  directory: "/newer",
  agent: null,
  model: null,
  contract: "text",
} as const;
