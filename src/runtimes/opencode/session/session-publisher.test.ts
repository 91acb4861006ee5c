import { expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../../../test/support/core/manual-clock.ts";
import { aLane } from "../../../../test/support/daemon/waybill.ts";
import { fixture, session } from "../../../../test/support/opencode/opencode-fixture.ts";
import type { Lane } from "../../../core/lane/lane.ts";
import type { Signal } from "../../../core/turn/signal.ts";
import type { StoredMessage } from "../client/api.ts";
import { OpencodeApi } from "../client/api.ts";
import { SessionRegistry } from "../client/session-registry.ts";
import type { SessionPublisherOptions } from "./session-publisher.ts";
import { SessionPublisher } from "./session-publisher.ts";

const lane: Lane = { ...aLane(), pausedReason: null, teamHold: null, sessionId: session, generation: 1, version: 1 };
const never = new AbortController().signal;
const twoTurns = fixture("two-turns");
const rows = twoTurns.rows[session] ?? [];
const stopped = fixture("abort-in-text");

type Stored = Awaited<ReturnType<SessionPublisherOptions["readRows"]>>;

/** A server that returns what the test gives it. */
function watch(start: Stored = { rows: [...rows], status: "idle" }) {
  const clock = new ManualClock();
  const api = new OpencodeApi(() => null);
  const registry = new SessionRegistry(api);
  registry.add(session, null);
  const server = { stored: start, asked: [] as Awaited<ReturnType<SessionPublisherOptions["readAsks"]>>, reads: 0 };
  let meanwhile = () => {};
  const errors: unknown[] = [];
  const signals = new SessionPublisher({
    api,
    registry,
    clock,
    readRows: async () => {
      server.reads += 1;
      const found = server.stored;
      meanwhile();
      return found;
    },
    readAsks: async () => server.asked,
    onError: (error) => errors.push(error),
  });
  const published: Signal[] = [];
  signals.onSignal((_lane, signal) => published.push(signal));
  const onRead = (happen: () => void) => {
    meanwhile = happen;
  };
  onTestFinished(() => expect(errors).toEqual([]));
  return { signals, server, published, clock, onRead, errors, types: () => published.map(({ type }) => type) };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const untilBusy = twoTurns.events.slice(0, twoTurns.events.findIndex(({ type }) => type === "session.status") + 1);

test("a first resync publishes the newest turn", async () => {
  const { signals, types, published } = watch();
  await signals.resync(lane, session, never);
  expect(types().filter((type) => type !== "part")).toEqual(["prompt", "message", "message_done", "rest"]);
  expect(published[0]).toMatchObject({ message: rows.at(-2)?.info.id });
});

test("all turns since the oldest one without a published end are published, each with its end", async () => {
  const { signals, types } = watch();
  signals.watch(lane, session);
  for (const event of untilBusy) signals.receive(event);
  const before = types().length;
  await signals.resync(lane, session, never);
  expect(
    types()
      .slice(before)
      .filter((type) => type === "prompt" || type === "rest"),
  ).toEqual(["prompt", "rest", "prompt", "rest"]);
});

test("a turn with a published end is not published again when there is a newer one", async () => {
  const { signals, server, published } = watch({ rows: rows.slice(0, 2), status: "idle" });
  await signals.resync(lane, session, never);
  server.stored = { rows: [...rows], status: "idle" };
  await signals.resync(lane, session, never);
  const prompts = published.flatMap((signal) => (signal.type === "prompt" ? [signal.message] : []));
  expect(prompts).toEqual([rows[0]?.info.id, rows[2]?.info.id]);
});

test("a rest before any work does not end the turn, which is published when it ends", async () => {
  const { signals, published } = watch();
  signals.watch(lane, session);
  const prompted = twoTurns.events.findIndex(({ type }) => type === "session.status");
  for (const event of twoTurns.events.slice(0, prompted)) signals.receive(event);
  signals.receive({ id: "evt_stale", type: "session.idle", properties: { sessionID: session } });
  await signals.resync(lane, session, never);
  const done = published.flatMap((signal) => (signal.type === "message_done" ? [signal.message] : []));
  expect(done).toEqual([rows[1]?.info.id, rows[3]?.info.id]);
});

test("rows are read again if something happens during the read, and an outdated rest is not published", async () => {
  const { signals, server, types, onRead } = watch();
  signals.watch(lane, session);
  let happened = 0;
  onRead(() => {
    happened += 1;
    if (happened > 1) return;
    for (const event of untilBusy) signals.receive(event);
    server.stored = { rows: rows.slice(0, 1), status: "busy" };
  });
  await signals.resync(lane, session, never);
  expect(server.reads).toBe(2);
  expect(types()).not.toContain("rest");
});

test("each read resyncs while no events arrive, and none does while they do", async () => {
  const { signals, server } = watch();
  signals.watch(lane, session);
  signals.setLive(true);
  signals.sessionRead(session);
  await settle();
  expect(server.reads).toBe(0);
  signals.setLive(false);
  signals.sessionRead(session);
  await settle();
  expect(server.reads).toBe(1);
});

test("a prompt without any work on it counts as interrupted after a while, but not before", async () => {
  const { signals, server, types, published, clock } = watch();
  const [prompt] = rows as [StoredMessage];
  const alone = { ...prompt, info: { ...prompt.info, time: { created: clock.now() } } } as StoredMessage;
  server.stored = { rows: [alone], status: "idle" };
  signals.setLive(true);
  await signals.resync(lane, session, never);
  expect(types()).toEqual(["prompt"]);
  await clock.advance(15_000);
  await settle();
  expect(published.at(-1)).toMatchObject({ type: "died", synthetic: true });
  expect(types().filter((type) => type === "died")).toHaveLength(1);
});

test("a failed resync is repeated, so that a missed end is published", async () => {
  const { signals, server, types, clock, onRead, errors } = watch();
  signals.watch(lane, session);
  for (const event of untilBusy) signals.receive(event);
  onRead(() => {
    if (server.reads === 1) throw new Error("no answer");
  });
  // The gap is reported before the first event of the new stream.
  signals.resyncAll();
  await settle();
  signals.setLive(true);
  expect(errors.splice(0)).toHaveLength(1);
  await clock.advance(15_000);
  await settle();
  expect(types().at(-1)).toBe("rest");
});

test("a message is read if its end does not arrive after the program becomes idle", async () => {
  const { signals, server, types, clock } = watch({ rows: stopped.rows[session] ?? [], status: "idle" });
  signals.watch(lane, session);
  const idle = stopped.events.findIndex(({ type }) => type === "session.idle");
  for (const event of stopped.events.slice(0, idle + 1)) signals.receive(event);
  expect(types()).not.toContain("rest");
  await clock.advance(2500);
  await settle();
  expect(server.reads).toBe(1);
  expect(types().slice(-2)).toEqual(["message_done", "rest"]);
});

test("asks are published with a running turn, and end when they are no longer pending", async () => {
  const { signals, server, published } = watch({ rows: rows.slice(0, 1), status: "busy" });
  const ask = (id: string) => ({ type: "permission" as const, ask: id, title: "bash: ls", call: null, detail: null });
  server.asked = [{ sessionId: "ses_below", body: ask("per_1") }];
  await signals.resync(lane, session, never);
  expect(published.at(-1)).toMatchObject({ type: "permission", ask: "per_1", session, nativeSession: "ses_below" });
  server.asked = [];
  await signals.resync(lane, session, never);
  expect(published.at(-1)).toMatchObject({ type: "permission_over", ask: "per_1", outcome: "expired" });
});

test("a session that the server does not know is published as ended, once", async () => {
  const { signals, types } = watch(null);
  await signals.resync(lane, session, never);
  await signals.resync(lane, session, never);
  expect(types()).toEqual(["session_ended"]);
});

test("when our own server dies, the running turns end, and no others", async () => {
  const { signals, types } = watch();
  signals.watch(lane, session);
  signals.serverDied();
  expect(types()).toEqual([]);
  for (const event of untilBusy) signals.receive(event);
  signals.serverDied();
  signals.serverDied();
  expect(types().filter((type) => type === "died")).toHaveLength(1);
});

test("a session without a lane is never published, and an opened session is published once", () => {
  const { signals, types } = watch();
  for (const event of twoTurns.events) signals.receive(event);
  expect(types()).toEqual([]);
  signals.sessionOpened(lane, session);
  for (const event of twoTurns.events) signals.receive(event);
  expect(types().filter((type) => type === "session_started")).toHaveLength(1);
});

test.each(["rests", "works"])(
  "a session of a removed lane that %s is forgotten, at the latest after its turn",
  async (how) => {
    const { signals, types } = watch();
    signals.watch(lane, session);
    const ends = twoTurns.events.findIndex(({ type }) => type === "session.idle") + 1;
    const first = how === "rests" ? ends : untilBusy.length;
    for (const event of twoTurns.events.slice(0, first)) signals.receive(event);
    const before = types().length;
    signals.laneRemoved(session);
    for (const event of twoTurns.events.slice(first)) signals.receive(event);
    const after = types().slice(before);
    expect(after.filter((type) => type === "rest")).toHaveLength(how === "rests" ? 0 : 1);
    expect(after.at(-1)).toBe(how === "rests" ? undefined : "rest");
  },
);

test.each(["ends", "goes on"])(
  "a resync after a gap does not keep the session of a removed lane: its turn %s",
  async (how) => {
    const { signals, server, types } = watch();
    signals.watch(lane, session);
    for (const event of untilBusy) signals.receive(event);
    signals.laneRemoved(session);
    if (how === "goes on") server.stored = { rows: rows.slice(0, 1), status: "busy" };
    signals.resyncAll();
    await settle();
    const ends = twoTurns.events.findIndex(({ type }) => type === "session.idle") + 1;
    if (how === "goes on") for (const event of twoTurns.events.slice(untilBusy.length, ends)) signals.receive(event);
    expect(types()).toContain("rest");
    const before = types().length;
    for (const event of twoTurns.events.slice(ends)) signals.receive(event);
    expect(types().slice(before)).toEqual([]);
  },
);

test("a forgotten session is forgotten with all sessions below it, and others stay", () => {
  const registry = new SessionRegistry(new OpencodeApi(() => null));
  registry.add("root", null);
  registry.add("child", "root");
  registry.add("grandchild", "child");
  registry.add("another", "elsewhere");
  expect(registry.forget("root").sort()).toEqual(["child", "grandchild", "root"]);
  expect([registry.knownRoot("grandchild"), registry.knownRoot("another")]).toEqual(["grandchild", "elsewhere"]);
});
