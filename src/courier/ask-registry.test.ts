import { describe, expect, it } from "vitest";
import { anEvent, logged } from "../../test/support/core/events.ts";
import type { Item, Part } from "../core/turn/item.ts";
import type { EventBody, UniversalEvent } from "../core/turn/universal-event.ts";
import { AskRegistry } from "./ask-registry.ts";

const call = (parts: Part[] = []): Item => ({
  ...{ id: "call:c1", kind: "tool_call", role: null, name: "edit", parent: "m1", status: "in_progress" },
  parts,
});
const result: Item = {
  ...call([{ type: "tool_result", call: "c1", name: "edit", output: "", isError: false, rejected: false }]),
  ...{ id: "result:c1", kind: "tool_result" },
};
const input = { path: "a.ts", text: "new" };
const begun: EventBody = { type: "item.started", data: { item: call() } };
const whole: EventBody = {
  type: "item.completed",
  data: { item: call([{ type: "tool_call", call: "c1", name: "edit", input }]) },
};
const detail = { filepath: "a.ts", diff: "-old\n+new" };
const asked: EventBody = { type: "permission.requested", data: { ask: "a1", title: "edit: a.ts", call: "c1", detail } };
const over: EventBody = { type: "permission.resolved", data: { ask: "a1", outcome: "once" } };

/** A lane after these events, with the changes its registry reported. */
function afterEvents(bodies: readonly EventBody[], event: Partial<UniversalEvent> = {}) {
  const told: boolean[] = [];
  const registry = new AskRegistry(({ ask, laneId, open }) => {
    expect([ask, laneId]).toEqual(["a1", "lane"]);
    told.push(open);
  });
  const say = (...more: EventBody[]) => {
    for (const body of more) {
      const { event: said, text } = logged(anEvent({ ...event, seq: 1 }, body));
      registry.onLog([{ cursor: null, at: 1, laneId: said.lane, type: "event", event: said, text }]);
    }
  };
  say(...bodies);
  return { registry, say, told };
}

describe("the subject of an ask", () => {
  it.each([
    ["before", [begun, whole, asked]],
    ["after", [begun, asked, whole]],
  ])("is found in the waiting call, even if the full call is published %s the ask", (_, bodies) => {
    const about = { call: "c1", tool: "edit", input, detail, diff: "-old\n+new", questions: [], nativeSession: null };
    const { registry, told } = afterEvents(bodies);
    expect(registry.list()).toMatchObject([{ id: "a1", laneId: "lane", kind: "permission", ...about }]);
    expect(told).toEqual([true]);
  });

  it("is what the program itself reports about the tool, if it does", () => {
    const claude = { tool: "Bash", input: { command: "make" }, suggestions: [] };
    const data = { ask: "a1", title: "Bash: make", call: "unknown", detail: claude };
    const { registry } = afterEvents([{ type: "permission.requested", data }], { nativeSession: "sub" });
    expect(registry.list()).toMatchObject([{ tool: "Bash", input: { command: "make" }, nativeSession: "sub" }]);
  });

  it("is not taken from a call that has its result, or from a turn that has ended", () => {
    const ended: EventBody = { type: "turn.ended", data: { reason: "completed", error: null, queued: 0 } };
    for (const end of [{ type: "item.completed", data: { item: result } } as const, ended]) {
      const { registry } = afterEvents([begun, whole, end, asked]);
      expect(registry.list()).toMatchObject([{ id: "a1", tool: null, input: null }]);
    }
  });
});

it("an ask copied with another lane's history is not listed", () => {
  expect(afterEvents([begun, asked], { copied: true }).registry.list()).toEqual([]);
});

it("asks of a running turn are restored after a start, except those that are over", () => {
  const registry = new AskRegistry(() => {});
  const events = [begun, whole, asked].map((body, index) => anEvent({ seq: index + 1 }, body));
  registry.restore(events);
  expect(registry.list()).toMatchObject([{ id: "a1", deliveryId: null, tool: "edit", input }]);
  expect(registry.laneOf("a1")).toBe("lane");
  registry.restore([...events, anEvent({ seq: 4 }, over)]);
  expect(registry.list()).toEqual([]);
});

it("listeners are notified once of an ask known only from events, and once of its end", () => {
  const { told, say } = afterEvents([asked]);
  say(over, over);
  expect(told).toEqual([true, false]);
});
