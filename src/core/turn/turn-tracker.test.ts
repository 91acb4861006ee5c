import { describe, expect, test } from "vitest";
import { isKept } from "../../../test/support/core/events.ts";
import type { Signal, SignalBody } from "./signal.ts";
import { TurnTracker } from "./turn-tracker.ts";
import type { Draft } from "./universal-event.ts";

const tokens = { input: 10, output: 5, reasoning: 0, cacheRead: 0, cacheWrite: 0 };

function at(said: SignalBody, more: Partial<Signal> = {}): Signal {
  return { at: 1000, session: "s1", ...more, ...said } as Signal;
}

function track(...said: (SignalBody | Signal)[]): Draft[] {
  const tracker = new TurnTracker();
  return said.flatMap((one) => tracker.take("session" in one ? one : at(one)));
}

/** `turn.started`, `item.started message`, `turn.ended completed` … */
function lines(drafts: readonly Draft[]): string[] {
  return drafts.map(({ type, data }) => {
    if (type === "item.started" || type === "item.completed") return `${type} ${data.item.kind} ${data.item.id}`;
    if (type === "item.delta") return `${type} ${data.item} ${data.text}`;
    if (type === "turn.ended") return `${type} ${data.reason}`;
    if (type.endsWith(".resolved")) return `${type} ${"outcome" in data ? data.outcome : ""}`;
    return type;
  });
}

const prompt = (message = "u1"): SignalBody => ({
  type: "prompt",
  message,
  parts: [{ type: "text", id: "p", text: "do" }],
});
const message = (id = "a1"): SignalBody => ({ type: "message", message: id, prompt: "u1" });
const says = (text: string, id = "a1"): SignalBody => ({ type: "part", message: id, part: "t", kind: "text", text });
const done = (id = "a1", error: { kind: "aborted" | "failed"; message: string } | null = null): SignalBody => ({
  type: "message_done",
  message: id,
  error,
  usage: { tokens, cost: 0.1, model: "m" },
});
const tool = (state: Extract<SignalBody, { type: "tool" }>["state"], call = "c1", id = "a1"): SignalBody => ({
  type: "tool",
  message: id,
  call,
  name: "read",
  state,
});
const running = (output?: string): SignalBody =>
  tool({ status: "running", input: { path: "x" }, ...(output === undefined ? {} : { output }) });
const ran = tool({ status: "completed", input: { path: "x" }, output: "ok" });
const rest: SignalBody = { type: "rest" };

describe("a turn", () => {
  test("begins with its prompt, ends once when the program is idle, and contains all of its items", () => {
    const told = track(prompt(), { type: "busy" }, message(), says("Hel"), says("Hello"), done(), rest, rest);
    expect(lines(told)).toEqual([
      "turn.started",
      "item.started message u1",
      "item.completed message u1",
      "item.started message a1",
      "item.delta a1 Hel",
      "item.delta a1 lo",
      "usage",
      "item.completed message a1",
      "turn.ended completed",
    ]);
    expect(told.every(({ turn }) => turn === 1)).toBe(true);
  });

  test("with repeated updates changes one part and adds none", () => {
    const told = track(prompt(), tool({ status: "pending" }), running(), running("a"), running("ab"), ran, ran, done());
    expect(lines(told).slice(4)).toEqual([
      "item.started tool_call call:c1",
      "item.completed tool_call call:c1",
      "item.started tool_result result:c1",
      "item.delta result:c1 a",
      "item.delta result:c1 b",
      "item.completed tool_result result:c1",
      "usage",
      "item.completed message a1",
    ]);
  });

  test("ends a message after its tool results and file changes, whenever the program reported its end", () => {
    const file: SignalBody = {
      type: "file",
      message: "a1",
      file: { type: "file", path: "x", change: "modified", diff: "@@" },
    };
    const early = track(prompt(), message(), running(), done(), file, ran, rest);
    const late = track(prompt(), message(), running(), ran, file, done(), rest);
    expect(lines(early)).toEqual(lines(late));
    expect(lines(late).slice(-5)).toEqual([
      "item.started file_change files:a1",
      "item.completed file_change files:a1",
      "usage",
      "item.completed message a1",
      "turn.ended completed",
    ]);
  });

  test("keeps the details of a file change when the program later reports only the path", () => {
    const file = (change: "added" | "unknown"): SignalBody => ({
      type: "file",
      message: "a1",
      file: { type: "file", path: "x", change, diff: null },
    });
    const told = track(prompt(), message(), file("added"), file("unknown"), done(), rest);
    const changes = told.flatMap(({ type, data }) =>
      type === "item.completed" && data.item.kind === "file_change" ? data.item.parts : [],
    );
    expect(changes).toMatchObject([{ path: "x", change: "added" }]);
  });

  test("is not ended by a rest that comes before the program started to work on it", () => {
    const told = track(prompt(), rest, { type: "busy" }, message(), done(), rest);
    expect(lines(told).filter((line) => line.startsWith("turn."))).toEqual(["turn.started", "turn.ended completed"]);
  });

  test("that was stopped reports the program's own refusals as expired", () => {
    const ask: SignalBody = { type: "permission", ask: "p1", title: "run", call: "c1", detail: null };
    const over: SignalBody = { type: "permission_over", ask: "p1", outcome: "reject" };
    const told = track(prompt(), running(), ask, { type: "stopped" }, over, rest);
    expect(lines(told)).toContain("permission.resolved expired");
    expect(lines(told)).not.toContain("permission.resolved reject");
  });

  test("that was stopped is published once, even if it is signalled again after a restart", () => {
    const aborted = done("a1", { kind: "aborted", message: "stopped" });
    const told = track(prompt(), { type: "busy" }, message(), aborted, rest);
    for (const heard of [told, told.filter(({ type }) => type.startsWith("turn."))]) {
      const tracker = new TurnTracker();
      for (const [seq, draft] of heard.entries()) tracker.restore({ id: `e${seq}`, seq, lane: "lane", ...draft });
      const again = [prompt(), message(), aborted, rest].flatMap((one) =>
        tracker.take({ at: 1, session: "s1", ...one }),
      );
      expect(lines(again)).toEqual([]);
    }
  });

  test("that was stopped during a call has a failed message, even if the program reported it as complete", () => {
    const refused: SignalBody = tool({ status: "error", input: {}, output: "stopped", rejected: false });
    const told = track(prompt(), running(), done(), { type: "stopped" }, refused, { type: "rest", reason: "aborted" });
    const ended = told.find(({ type, data }) => type === "item.completed" && data.item.role === "assistant");
    expect(ended?.data).toMatchObject({ item: { status: "failed" } });
  });

  test("is not ended by an ask, and its unanswered asks expire with it", () => {
    const ask: SignalBody = { type: "permission", ask: "p1", title: "run", call: "c1", detail: null };
    const told = track(prompt(), running(), ask, ask, { type: "stopped" }, rest);
    expect(lines(told).slice(5)).toEqual([
      "item.completed tool_call call:c1",
      "permission.requested",
      "permission.resolved expired",
      "item.started tool_result result:c1",
      "item.completed tool_result result:c1",
      "item.completed message a1",
      "turn.ended aborted",
    ]);
    expect(told.at(-2)).toMatchObject({ synthetic: true, data: { item: { status: "failed" } } });
  });

  test("ends before the program's next queued prompt, and reports that the program is not idle", () => {
    const told = track(prompt(), message(), prompt("u2"), done(), { type: "rest", queued: 1 }, message("a2"));
    expect(told.filter(({ type }) => type.startsWith("turn.")).map(({ data, turn }) => [turn, data])).toEqual([
      [1, { prompt: "u1" }],
      [1, { reason: "completed", error: null, queued: 1 }],
      [2, { prompt: "u2" }],
    ]);
  });

  test("is not followed by a subagent's prompt, which belongs to the call", () => {
    const below: Signal = at({ ...prompt("u2"), parent: "call:c1" } as SignalBody, { nativeSession: "s2" });
    const told = track(prompt(), message(), below, done(), { type: "rest", queued: 1 });
    expect(told.find(({ type, nativeSession }) => type === "item.started" && nativeSession)?.data).toMatchObject({
      item: { id: "u2", role: "user", parent: "call:c1" },
    });
    expect(told.at(-1)).toMatchObject({ type: "turn.started", data: { prompt: null } });
  });

  test("without a prompt begins with the agent's first action", () => {
    const [first] = track(message("a9"));
    expect(first).toMatchObject({ type: "turn.started", synthetic: true, data: { prompt: "u1" } });
  });

  test("is neither started again by late signals nor ended twice", () => {
    const ended: SignalBody = { type: "session_ended", reason: "exit 0" };
    const told = track(
      prompt(),
      message(),
      done(),
      rest,
      message(),
      says("late"),
      done(),
      rest,
      { type: "died" },
      ended,
    );
    expect(lines(told).slice(-2)).toEqual(["turn.ended completed", "session.ended"]);
    expect(told.at(-1)?.turn).toBeNull();
  });

  test.each<[string, SignalBody[], string]>([
    ["a failed message", [message(), done("a1", { kind: "failed", message: "no" }), rest], "error"],
    ["an error that no message carries", [{ type: "error", id: "e", message: "no", item: null }, rest], "error"],
    [
      "an error that the agent recovered from",
      [message(), done("a1", { kind: "failed", message: "no" }), message("a2"), done("a2"), rest],
      "completed",
    ],
    ["a stop", [message(), done("a1", { kind: "aborted", message: "stop" }), rest], "aborted"],
    ["a stop in the middle of a message", [message(), { type: "stopped" }, rest], "aborted"],
    ["a stop before the agent said anything", [{ type: "busy" }, { type: "stopped" }, rest], "aborted"],
    ["a stop that came too late", [message(), done(), { type: "stopped" }, rest], "completed"],
    ["a message left open", [message(), rest], "interrupted"],
    ["a program that died", [message(), { type: "died" }], "interrupted"],
    [
      "a program that was killed because it did not stop",
      [message(), { type: "stopped" }, { type: "died" }],
      "aborted",
    ],
    ["a session that ended", [message(), { type: "session_ended", reason: "deleted" }], "interrupted"],
    [
      "a refusal after which the agent said nothing",
      [tool({ status: "error", input: {}, output: "no", rejected: true }), done(), rest],
      "aborted",
    ],
    [
      "a refusal after which the agent continued",
      [tool({ status: "error", input: {}, output: "no", rejected: true }), done(), message("a2"), done("a2"), rest],
      "completed",
    ],
    ["a reason from the program", [message(), done(), { type: "rest", reason: "error" }], "error"],
  ])("with %s ends with the matching reason", (_, said, reason) => {
    const ends = track(prompt(), ...said).filter(({ type }) => type === "turn.ended");
    expect(ends).toMatchObject([{ data: { reason } }]);
  });
});

describe("a session that replaces another", () => {
  const elsewhere = { session: "s2" };

  test("ends the open turn of the old one, whose later signals are ignored", () => {
    const told = track(
      prompt(),
      says("Hm."),
      at({ type: "session_started", resumed: false }, elsewhere),
      at(prompt("u2"), elsewhere),
      says("Late."),
      rest,
      at(says("Here.", "a2"), elsewhere),
      at(done("a2"), elsewhere),
      at(rest, elsewhere),
    );
    expect(
      told.filter(({ type }) => type.startsWith("turn.")).map(({ session, turn, data }) => [session, turn, data]),
    ).toEqual([
      ["s1", 1, { prompt: "u1" }],
      ["s1", 1, { reason: "interrupted", error: null, queued: 0 }],
      ["s2", 2, { prompt: "u2" }],
      ["s2", 2, { reason: "completed", error: null, queued: 0 }],
    ]);
    expect(lines(told).some((line) => line.includes("Late."))).toBe(false);
  });
});

describe("an empty message", () => {
  test("that failed or was stopped while empty is not an item", () => {
    const aborted = done("a1", { kind: "aborted", message: "stop" });
    expect(lines(track(prompt(), message(), aborted, rest)).slice(3)).toEqual(["turn.ended aborted"]);
  });

  test("left behind by a program that died begins no new turn when it is signalled again", () => {
    const told = track(prompt(), message(), { type: "died" }, prompt(), message(), rest);
    expect(lines(told).filter((line) => line.startsWith("turn."))).toEqual(["turn.started", "turn.ended interrupted"]);
  });

  test("that ended normally is an item: the agent had nothing to say", () => {
    expect(lines(track(prompt(), message(), done(), rest)).slice(3, 6)).toEqual([
      "item.started message a1",
      "usage",
      "item.completed message a1",
    ]);
  });
});

test("text published as deltas before a restart is not repeated, and new text is published", () => {
  const before = new TurnTracker();
  const first = [prompt(), message(), says("Hel")].flatMap((said) => before.take(at(said)));
  const after = new TurnTracker();
  for (const draft of first.filter(isKept)) after.restore({ id: "e", seq: 1, lane: "lane", ...draft });
  const told = [prompt(), message(), says("Hello"), says("Hello you"), done()].flatMap((said) => after.take(at(said)));
  expect(lines(told)).toEqual(["item.delta a1 ", "item.delta a1  you", "usage", "item.completed message a1"]);
  expect(told[3]).toMatchObject({ data: { item: { parts: [{ text: "Hello you" }] } } });
});

test("the running turn has its number, its start time and its open items", () => {
  const tracker = new TurnTracker();
  const none = { turn: null, startedAt: null, items: [], cut: [] };
  expect(tracker.live).toEqual(none);
  const begun = [prompt(), message(), says("Hel")].flatMap((said) => tracker.take(at(said)));
  tracker.take(at(says("Hello"), { at: 2000 }));
  expect(tracker.live).toMatchObject({ turn: 1, startedAt: 1000, items: [{ id: "a1", parts: [{ text: "Hello" }] }] });
  const after = new TurnTracker();
  for (const draft of begun.filter(isKept)) after.restore({ id: "e", seq: 1, lane: "lane", ...draft });
  expect(after.live).toMatchObject({ turn: 1, startedAt: 1000, items: [{ id: "a1", parts: [] }] });
  for (const said of [done(), rest]) tracker.take(at(said));
  expect(tracker.live).toEqual(none);
});

test("repeated signals of a replaced session do not interrupt the turn in its replacement", () => {
  const next = { session: "s2" };
  const old = [prompt(), message(), says("Old."), done(), rest];
  const told = track(
    ...old,
    at(prompt("u2"), next),
    at(says("New.", "a2"), next),
    ...old,
    at(done("a2"), next),
    at(rest, next),
  );
  expect(lines(told).filter((line) => line.startsWith("turn."))).toEqual([
    "turn.started",
    "turn.ended completed",
    "turn.started",
    "turn.ended completed",
  ]);
});

test("activity of an ended session does not make the next session's turn active", () => {
  const next = { session: "s2" };
  const told = track(
    { type: "busy" },
    { type: "session_ended", reason: "gone" },
    at(prompt("u2"), next),
    at(rest, next),
  );
  expect(lines(told)).not.toContain("turn.ended completed");
});

describe("an error", () => {
  test("that is reported in two places is published once", () => {
    const failed = { kind: "failed" as const, message: "overloaded" };
    const told = track(
      prompt(),
      { type: "error", id: "e", message: "overloaded", item: null },
      done("a1", failed),
      rest,
    );
    expect(told.filter(({ type }) => type === "error")).toHaveLength(1);
    expect(told.at(-1)).toMatchObject({ data: { reason: "error", error: "overloaded" } });
  });

  test("of a subagent does not fail the turn, and its messages keep their parent call", () => {
    const below = { nativeSession: "s2" };
    const told = track(
      prompt(),
      running(),
      at({ type: "message", message: "b1", prompt: null, parent: "c1" }, below),
      at(says("I look.", "b1"), below),
      at(done("b1", { kind: "failed", message: "no" }), below),
      ran,
      done(),
      rest,
    );
    expect(told.find(({ type, data }) => type === "item.started" && data.item.id === "b1")).toMatchObject({
      nativeSession: "s2",
      data: { item: { parent: "c1" } },
    });
    expect(told.at(-1)).toMatchObject({ data: { reason: "completed" } });
  });
});

test("an unparsed line passes through with its raw text", () => {
  const [told] = track({ type: "unparsed", reason: "no JSON", raw: "%%%" });
  expect(told).toMatchObject({ type: "unparsed", raw: "%%%", turn: null });
});
