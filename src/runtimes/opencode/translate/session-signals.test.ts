import { expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import { fixture, session } from "../../../../test/support/opencode-fixture.ts";
import { aLane } from "../../../../test/support/waybill.ts";
import type { Lane } from "../../../core/lane/lane.ts";
import type { Signal } from "../../../core/turn/signal.ts";
import type { MessageRow } from "../server/opencode-api.ts";
import { OpencodeApi } from "../server/opencode-api.ts";
import { SessionTree } from "../session/session-tree.ts";
import type { SessionSignalsOptions } from "./session-signals.ts";
import { SessionSignals } from "./session-signals.ts";

const lane: Lane = { ...aLane(), pausedReason: null, sessionId: session, generation: 1 };
const never = new AbortController().signal;
const twoTurns = fixture("two-turns");
const rows = twoTurns.rows[session] ?? [];
const stopped = fixture("abort-in-text");

type Stored = Awaited<ReturnType<SessionSignalsOptions["stored"]>>;

/** A server that holds what the test gives it. */
function watch(start: Stored = { rows: [...rows], status: "idle" }) {
  const clock = new ManualClock();
  const api = new OpencodeApi(() => null);
  const tree = new SessionTree(api);
  tree.learn(session, null);
  const server = { stored: start, asked: [] as Awaited<ReturnType<SessionSignalsOptions["asked"]>>, reads: 0 };
  let meanwhile = () => {};
  const errors: unknown[] = [];
  const signals = new SessionSignals({
    api,
    tree,
    clock,
    stored: async () => {
      server.reads += 1;
      const found = server.stored;
      meanwhile();
      return found;
    },
    asked: async () => server.asked,
    onError: (error) => errors.push(error),
  });
  const told: Signal[] = [];
  signals.onSignal((_lane, signal) => told.push(signal));
  const onRead = (happen: () => void) => {
    meanwhile = happen;
  };
  onTestFinished(() => expect(errors).toEqual([]));
  return { signals, server, told, clock, onRead, errors, types: () => told.map(({ type }) => type) };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const untilBusy = twoTurns.events.slice(0, twoTurns.events.findIndex(({ type }) => type === "session.status") + 1);

test("somebody who has heard nothing yet is told the newest turn", async () => {
  const { signals, types, told } = watch();
  await signals.resync(lane, session, never);
  expect(types().filter((type) => type !== "part")).toEqual(["prompt", "message", "message_done", "rest"]);
  expect(told[0]).toMatchObject({ message: rows.at(-2)?.info.id });
});

test("all turns are told from the oldest on whose end was not said, each with its end", async () => {
  const { signals, types } = watch();
  signals.watch(lane, session);
  for (const event of untilBusy) signals.hear(event);
  const before = types().length;
  await signals.resync(lane, session, never);
  expect(
    types()
      .slice(before)
      .filter((type) => type === "prompt" || type === "rest"),
  ).toEqual(["prompt", "rest", "prompt", "rest"]);
});

test("a turn whose end was said is not told again when there is a newer one", async () => {
  const { signals, server, told } = watch({ rows: rows.slice(0, 2), status: "idle" });
  await signals.resync(lane, session, never);
  server.stored = { rows: [...rows], status: "idle" };
  await signals.resync(lane, session, never);
  const prompts = told.flatMap((signal) => (signal.type === "prompt" ? [signal.message] : []));
  expect(prompts).toEqual([rows[0]?.info.id, rows[2]?.info.id]);
});

test("a rest that comes before the work settles nothing: the turn is told when it has ended", async () => {
  const { signals, told } = watch();
  signals.watch(lane, session);
  const prompted = twoTurns.events.findIndex(({ type }) => type === "session.status");
  for (const event of twoTurns.events.slice(0, prompted)) signals.hear(event);
  signals.hear({ id: "evt_stale", type: "session.idle", properties: { sessionID: session } });
  await signals.resync(lane, session, never);
  const done = told.flatMap((signal) => (signal.type === "message_done" ? [signal.message] : []));
  expect(done).toEqual([rows[1]?.info.id, rows[3]?.info.id]);
});

test("rows are read again when something happens while they are read, and a stale rest is not said", async () => {
  const { signals, server, types, onRead } = watch();
  signals.watch(lane, session);
  let happened = 0;
  onRead(() => {
    happened += 1;
    if (happened > 1) return;
    for (const event of untilBusy) signals.hear(event);
    server.stored = { rows: rows.slice(0, 1), status: "busy" };
  });
  await signals.resync(lane, session, never);
  expect(server.reads).toBe(2);
  expect(types()).not.toContain("rest");
});

test("without events each look resyncs, with events none does", async () => {
  const { signals, server } = watch();
  signals.watch(lane, session);
  signals.eventsCome(true);
  signals.looked(session);
  await settle();
  expect(server.reads).toBe(0);
  signals.eventsCome(false);
  signals.looked(session);
  await settle();
  expect(server.reads).toBe(1);
});

test("a prompt that nobody began to work on is interrupted after a while, and not before", async () => {
  const { signals, server, types, told, clock } = watch();
  const [prompt] = rows as [MessageRow];
  const alone = { ...prompt, info: { ...prompt.info, time: { created: clock.now() } } } as MessageRow;
  server.stored = { rows: [alone], status: "idle" };
  signals.eventsCome(true);
  await signals.resync(lane, session, never);
  expect(types()).toEqual(["prompt"]);
  await clock.advance(15_000);
  await settle();
  expect(told.at(-1)).toMatchObject({ type: "died", synthetic: true });
  expect(types().filter((type) => type === "died")).toHaveLength(1);
});

test("a look that failed is repeated, so that an end that was missed is said", async () => {
  const { signals, server, types, clock, onRead, errors } = watch();
  signals.watch(lane, session);
  for (const event of untilBusy) signals.hear(event);
  onRead(() => {
    if (server.reads === 1) throw new Error("no answer");
  });
  // The gap is told before the first event of the new stream.
  signals.resyncAll();
  await settle();
  signals.eventsCome(true);
  expect(errors.splice(0)).toHaveLength(1);
  await clock.advance(15_000);
  await settle();
  expect(types().at(-1)).toBe("rest");
});

test("a message whose end never comes after the program rests is looked at", async () => {
  const { signals, server, types, clock } = watch({ rows: stopped.rows[session] ?? [], status: "idle" });
  signals.watch(lane, session);
  const idle = stopped.events.findIndex(({ type }) => type === "session.idle");
  for (const event of stopped.events.slice(0, idle + 1)) signals.hear(event);
  expect(types()).not.toContain("rest");
  await clock.advance(2500);
  await settle();
  expect(server.reads).toBe(1);
  expect(types().slice(-2)).toEqual(["message_done", "rest"]);
});

test("what is asked is told with a turn that runs, and what is asked no more is over", async () => {
  const { signals, server, told } = watch({ rows: rows.slice(0, 1), status: "busy" });
  const ask = (id: string) => ({ type: "permission" as const, ask: id, title: "bash: ls", call: null, detail: null });
  server.asked = [{ sessionId: "ses_below", said: ask("per_1") }];
  await signals.resync(lane, session, never);
  expect(told.at(-1)).toMatchObject({ type: "permission", ask: "per_1", session, nativeSession: "ses_below" });
  server.asked = [];
  await signals.resync(lane, session, never);
  expect(told.at(-1)).toMatchObject({ type: "permission_over", ask: "per_1", outcome: "expired" });
});

test("a session that the server does not know is said to have ended, once", async () => {
  const { signals, types } = watch(null);
  await signals.resync(lane, session, never);
  await signals.resync(lane, session, never);
  expect(types()).toEqual(["session_ended"]);
});

test("when a server of ours dies, so do the turns that ran, and no others", async () => {
  const { signals, types } = watch();
  signals.watch(lane, session);
  signals.died();
  expect(types()).toEqual([]);
  for (const event of untilBusy) signals.hear(event);
  signals.died();
  signals.died();
  expect(types().filter((type) => type === "died")).toHaveLength(1);
});

test("a session that belongs to no lane is never told, and one that is opened is told once", () => {
  const { signals, types } = watch();
  for (const event of twoTurns.events) signals.hear(event);
  expect(types()).toEqual([]);
  signals.opened(lane, session);
  for (const event of twoTurns.events) signals.hear(event);
  expect(types().filter((type) => type === "session_started")).toHaveLength(1);
});

test.each(["rests", "works"])("a session whose lane is gone is let go, after its turn when it %s", async (how) => {
  const { signals, types } = watch();
  signals.watch(lane, session);
  const ends = twoTurns.events.findIndex(({ type }) => type === "session.idle") + 1;
  const first = how === "rests" ? ends : untilBusy.length;
  for (const event of twoTurns.events.slice(0, first)) signals.hear(event);
  const before = types().length;
  signals.letGo(session);
  for (const event of twoTurns.events.slice(first)) signals.hear(event);
  const after = types().slice(before);
  expect(after.filter((type) => type === "rest")).toHaveLength(how === "rests" ? 0 : 1);
  expect(after.at(-1)).toBe(how === "rests" ? undefined : "rest");
});

test.each(["ends", "goes on"])("a look after a gap keeps no session whose lane is gone: its turn %s", async (how) => {
  const { signals, server, types } = watch();
  signals.watch(lane, session);
  for (const event of untilBusy) signals.hear(event);
  signals.letGo(session);
  if (how === "goes on") server.stored = { rows: rows.slice(0, 1), status: "busy" };
  signals.resyncAll();
  await settle();
  const ends = twoTurns.events.findIndex(({ type }) => type === "session.idle") + 1;
  if (how === "goes on") for (const event of twoTurns.events.slice(untilBusy.length, ends)) signals.hear(event);
  expect(types()).toContain("rest");
  const before = types().length;
  for (const event of twoTurns.events.slice(ends)) signals.hear(event);
  expect(types().slice(before)).toEqual([]);
});

test("a session that is let go is forgotten with all below it, and others stay", () => {
  const tree = new SessionTree(new OpencodeApi(() => null));
  tree.learn("root", null);
  tree.learn("child", "root");
  tree.learn("grandchild", "child");
  tree.learn("another", "elsewhere");
  expect(tree.forget("root").sort()).toEqual(["child", "grandchild", "root"]);
  expect([tree.knownRoot("grandchild"), tree.knownRoot("another")]).toEqual(["grandchild", "elsewhere"]);
});
