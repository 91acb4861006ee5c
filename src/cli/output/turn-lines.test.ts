import { expect, test } from "vitest";
import { anEvent } from "../../../test/support/core/events.ts";
import type { UniversalEvent } from "../../client/index.ts";
import type { EventBody } from "../../core/turn/universal-event.ts";
import { TurnLines } from "./turn-lines.ts";

type Item = Extract<EventBody, { type: "item.completed" }>["data"]["item"];

function shown(...bodies: EventBody[]): { lines: string[]; status: string } {
  const turns = new TurnLines((_, text) => text);
  const all = bodies.map((one) => turns.add(anEvent({ seq: 1, turn: 3 }, one) as UniversalEvent));
  return { lines: all.flatMap(({ lines }) => lines), status: all.at(-1)?.status ?? "" };
}

const delta = (text: string, kind: "text" | "reasoning" = "text"): EventBody => ({
  type: "item.delta",
  data: { item: "a1", part: "p1", kind, text },
});
const completed = (item: Partial<Item>): EventBody => {
  const whole = { id: "a1", kind: "message", role: "assistant", name: null, parent: null, parts: [] } as const;
  return { type: "item.completed", data: { item: { ...whole, status: "completed", ...item } as Item } };
};
const text = (words: string) => completed({ parts: [{ type: "text", id: "p1", text: words }] });
const call = completed({
  ...{ id: "call:c1", kind: "tool_call", name: "bash" },
  parts: [{ type: "tool_call", call: "c1", name: "bash", input: { command: "ls" } }],
});
const result = (part: { isError: boolean; rejected: boolean; output: string }) =>
  completed({
    ...{ id: "result:c1", kind: "tool_result", name: "bash", parent: "call:c1" },
    parts: [{ type: "tool_result", call: "c1", name: "bash", ...part }],
  });

test("text is shown as it is streamed: whole lines, the rest as the status, and nothing twice", () => {
  expect(shown(delta("One\nTw"), delta("o\nThr"))).toEqual({ lines: ["One", "Two"], status: "Thr" });
  expect(shown(delta("One\nTw"), delta("o"), text("One\nTwo\nThree")).lines).toEqual(["One", "Two", "Three"]);
  expect(shown(text("One\nTwo")).lines).toEqual(["One", "Two"]);
});

test("text with a missed part is shown in full at the end", () => {
  const missed = [delta("One\nTw"), delta("ree"), text("One\nTwo\nThree")];
  const again = "some of this was missed; here is all of it:";
  expect(shown(...missed).lines).toEqual(["One", "Twree", again, "One", "Two", "Three"]);
});

test("a tool does not overtake an incomplete line", () => {
  const done = result({ isError: false, rejected: false, output: "" });
  const said = [delta("Looking."), call, done, delta("\nDo"), text("Looking.\nDone.")];
  expect(shown(...said).lines).toEqual(["Looking.", 'done bash {"command":"ls"}', "Done."]);
});

test("a tool is one line with its result", () => {
  expect(shown(call)).toEqual({ lines: [], status: 'bash {"command":"ls"} …' });
  const ended = (part: Parameters<typeof result>[0]) => shown(call, result(part)).lines;
  expect(ended({ isError: false, rejected: false, output: "a" })).toEqual(['done bash {"command":"ls"}']);
  expect(ended({ isError: true, rejected: false, output: "no\nsuch" })).toEqual([
    'failed bash {"command":"ls"}: no such',
  ]);
  expect(ended({ isError: true, rejected: true, output: "" })).toEqual(['refused bash {"command":"ls"}']);
});

test("a turn shows its number, and its end shows the reason", () => {
  expect(shown({ type: "turn.started", data: { prompt: null } }).lines).toEqual(["turn 3"]);
  const ended = (data: Extract<EventBody, { type: "turn.ended" }>["data"]) => shown({ type: "turn.ended", data }).lines;
  expect(ended({ reason: "completed", error: null, queued: 0 })).toEqual(["the turn ended: completed"]);
  expect(ended({ reason: "error", error: "no credit", queued: 2 })).toEqual([
    "the turn ended: error (no credit); 2 prompts next",
  ]);
});

test("an ask says how to answer it", () => {
  const asked: EventBody = {
    type: "permission.requested",
    data: { ask: "per_1", title: "bash: rm", call: null, detail: null },
  };
  expect(shown(asked).lines).toEqual([
    "the agent asks for permission: bash: rm  [waybill answer per_1 once|always|reject]",
  ]);
});

test("untrusted text cannot move the cursor", () => {
  const control = "\u001b[2J\u001b]0;title\u0007";
  const all = shown(delta(`a${control}\n`), text(`${control}b`), {
    type: "error",
    data: { message: control, item: null },
  });
  expect(all.lines.join("") + all.status).not.toContain("\u001b");
});

test("a subagent's events are indented", () => {
  const turns = new TurnLines((_, words) => words);
  expect(turns.add(anEvent({ seq: 1, nativeSession: "sub" }, text("Found it.")) as UniversalEvent).lines).toEqual([
    "  Found it.",
  ]);
});

test("of the ledger's notes, only the outcome of a message is shown", () => {
  const status = (name: string, value: unknown) =>
    completed({ kind: "status", role: null, name, parts: [{ type: "json", id: name, value }] });
  const ended = status("delivery", { message: "m1", status: "responded", reason: null });
  const sent = status("attempt", { message: "m1", number: 1, kind: "prompt", prompt: "p" });
  expect(shown(sent, ended, status("compaction", {})).lines).toEqual(["message m1: responded", "compaction"]);
});
