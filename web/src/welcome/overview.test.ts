import { expect, test } from "vitest";
import type { Ask, Delivery, Lane, Message } from "waybill/client";
import type { LaneFacts } from "../app/groups.ts";
import { homeKind, overviewOf, summaryWords } from "./overview.ts";

const lane = (id: string, fields: Partial<Lane> = {}) =>
  ({
    id,
    displayName: null,
    runtime: "stub",
    runtimeReady: true,
    pausedReason: null,
    notices: [],
    waiting: 0,
    holder: null,
    ...fields,
  }) as Lane;

const delivery = (id: string, fields: Partial<Delivery> = {}) =>
  ({
    id,
    messageId: `m-${id}`,
    lane: "api",
    heldReason: null,
    status: "pending",
    createdAt: "2026-01-01T00:00:00.000Z",
    ...fields,
  }) as Delivery;

const message = (id: string, fields: Partial<Message> = {}) =>
  ({
    id,
    lane: "api",
    from: "user",
    to: { lane: "api" },
    text: `text of ${id}`,
    relayOfMessageId: null,
    outcome: null,
    member: null,
    readAt: null,
    ...fields,
  }) as Message;

const calm: LaneFacts = { asks: [], open: [], failed: [], activity: new Map(), unread: {} };
const empty = { lanes: [lane("api")], facts: calm, waiting: [], messages: [] };

test("when all is calm, nothing needs a person", () => {
  const overview = overviewOf(empty);
  expect(overview).toEqual({ needs: [], running: [], waiting: [], answers: [] });
  expect(summaryWords(overview, 1)).toBe("Nothing needs you. 1 lane, none working.");
});

test("asks come first, then failures, then held messages, then blocked lanes", () => {
  const ask = {
    id: "per_1",
    lane: "api",
    kind: "permission",
    title: "bash: ls",
    since: "2026-01-01T00:00:00.000Z",
  } as Ask;
  const { needs, waiting } = overviewOf({
    lanes: [
      lane("api", { displayName: "The API" }),
      lane("web", { pausedReason: "daily_cost_limit_reached", runtimeReady: false }),
    ],
    facts: { ...calm, asks: [ask], failed: [delivery("f", { status: "failed_terminal" })] },
    waiting: [delivery("h", { heldReason: "loop_guard" }), delivery("p")],
    messages: [message("m-f")],
  });
  expect(needs.map(({ type, laneName }) => [type, laneName])).toEqual([
    ["ask", "The API"],
    ["failed", "The API"],
    ["held", "The API"],
    ["lane", "web"],
    ["lane", "web"],
  ]);
  expect(needs[1]).toMatchObject({ text: "text of m-f" });
  expect(needs[3]).toMatchObject({ words: "Paused: daily cost limit reached. Its messages wait." });
  expect(waiting.map(({ delivery: { id }, text }) => [id, text])).toEqual([["p", null]]);
});

test("a working lane is shown with its message, its start, and what waits behind it", () => {
  const holder = { messageId: "m1" } as Lane["holder"];
  const { running } = overviewOf({
    lanes: [lane("api", { holder, waiting: 2 }), lane("web")],
    facts: { ...calm, activity: new Map([["api", { since: 5, tool: "bash" }]]) },
    waiting: [],
    messages: [message("m1")],
  });
  const row = { lane: "api", laneName: "api", doing: "bash", since: 5, text: "text of m1", waiting: 2 };
  expect(running).toEqual([row]);
});

test("a lane that waits for a person does not count as working", () => {
  const ask = { id: "per_1", lane: "api", since: "2026-01-01T00:00:00.000Z" } as Ask;
  const activity = new Map([["api", { since: 5, tool: "bash" }]]);
  expect(overviewOf({ ...empty, facts: { ...calm, asks: [ask], activity } }).running).toEqual([]);
});

test("answers are those to the person's own messages, newest first, and at most ten", () => {
  const reply = { from: "api", to: { person: "user" }, relayOfMessageId: "m1" } as const;
  const replies = Array.from({ length: 12 }, (_, index) => message(`a${index}`, reply));
  const nod = message("nod", { ...reply, outcome: "acknowledgement" });
  const read = message("read", { ...reply, readAt: "2026-01-01T00:00:00.000Z" });
  const { answers } = overviewOf({ ...empty, messages: [nod, read, message("m1"), ...replies] });
  expect(answers.map(({ message: { id }, isUnread }) => [id, isUnread]).slice(0, 2)).toEqual([
    ["read", false],
    ["a0", true],
  ]);
  expect(answers).toHaveLength(10);
});

test("an answer of a member that runs elsewhere belongs to the conversation with that member", () => {
  const member = { team: "crew", name: "nate" };
  const reply = { from: "nate", to: { person: "user" }, relayOfMessageId: "m1", lane: null, member } as const;
  const { answers } = overviewOf({ ...empty, messages: [message("a1", reply)] });
  expect(answers).toMatchObject([{ conversation: "crew/nate", name: "nate" }]);
});

test("the same id in two conversations is two messages", () => {
  const failed = [delivery("f", { messageId: "m1", lane: "web" })];
  const { needs } = overviewOf({ ...empty, facts: { ...calm, failed }, messages: [message("m1")] });
  expect(needs[0]).toMatchObject({ lane: "web", text: null });
});

test("the start page is the demo only in the demo profile, while its lane exists", () => {
  expect(homeKind(true, [{ id: "demo" }])).toBe("demo");
  expect(homeKind(true, [{ id: "api" }])).toBe("overview");
  expect(homeKind(false, [{ id: "demo" }])).toBe("overview");
  expect(homeKind(false, [])).toBe("no-lanes");
});
