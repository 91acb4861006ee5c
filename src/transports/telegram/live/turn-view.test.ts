import { describe, expect, test } from "vitest";
import type { Item } from "../../../core/turn/item.ts";
import type { EventBody, UniversalEvent } from "../../../core/turn/universal-event.ts";
import { emptyView, previewWords, progressBelowText, progressWords, textOf, viewAfter } from "./turn-view.ts";

const envelope = {
  id: "e",
  seq: 1,
  time: 0,
  lane: "lane",
  session: "s",
  turn: 1,
  source: "agent",
  synthetic: false,
} as const;
const item = (given: Partial<Item>): Item => ({
  ...{ id: "m1", kind: "message", role: "assistant", name: null, parent: null, status: "in_progress", parts: [] },
  ...given,
});
const delta = (text: string, of = "m1", part = "p1"): EventBody => ({
  type: "item.delta",
  data: { item: of, part, kind: "text", text },
});
const call = (input: unknown, name = "bash"): EventBody[] => {
  const began = item({ id: "call:c1", kind: "tool_call", role: null, name, parent: "m1" });
  const part = { type: "tool_call" as const, call: "c1", name, input };
  return [
    { type: "item.started", data: { item: began } },
    { type: "item.completed", data: { item: { ...began, parts: [part] } } },
  ];
};
const viewOf = (...bodies: EventBody[]) =>
  bodies.reduce((view, body) => viewAfter(view, { ...envelope, ...body } as UniversalEvent), emptyView);

describe("the text so far", () => {
  test("grows by deltas, part by part", () => {
    expect(textOf(viewOf(delta("One "), delta("two."), delta("Three.", "m1", "p2")))).toBe("One two.\n\nThree.");
  });

  test("is from the newest message that has text", () => {
    const next: EventBody = { type: "item.started", data: { item: item({ id: "m2" }) } };
    expect(textOf(viewOf(delta("I look."), next))).toBe("I look.");
    expect(textOf(viewOf(delta("I look."), next, delta("There it is.", "m2")))).toBe("There it is.");
  });

  test("does not change on an empty delta of another message, as after a restart", () => {
    expect(textOf(viewOf(delta("I look."), delta("", "m2")))).toBe("I look.");
  });

  test("is corrected by the completed message", () => {
    const parts = [{ type: "text" as const, id: "p1", text: "All of it." }];
    expect(textOf(viewOf(delta("All"), { type: "item.completed", data: { item: item({ parts }) } }))).toBe(
      "All of it.",
    );
  });

  test("leaves out reasoning and messages of subagents", () => {
    const below: EventBody = { type: "item.started", data: { item: item({ id: "sub", parent: "call:c1" }) } };
    const thought: EventBody = { type: "item.delta", data: { item: "m1", part: "t", kind: "reasoning", text: "Hm." } };
    expect(textOf(viewOf(thought, below, delta("Found.", "sub"), delta("Yes.")))).toBe("Yes.");
    const elsewhere = { ...envelope, ...delta("No."), nativeSession: "child" } as UniversalEvent;
    expect(viewAfter(emptyView, elsewhere)).toBe(emptyView);
  });

  test("starts over with the next turn", () => {
    expect(viewOf(delta("Old."), { type: "turn.started", data: { prompt: null } })).toEqual(emptyView);
  });
});

describe("the running tool", () => {
  const result: EventBody = {
    type: "item.completed",
    data: { item: item({ id: "result:c1", kind: "tool_result", role: null, name: "bash", parent: "call:c1" }) },
  };

  test("is named with its detail until its result arrives", () => {
    const running = viewOf(...call({ command: "npm test\nexit", description: "tests" }));
    expect(progressWords(running, 40_000)).toBe("⏳ Still working (40 s): bash `npm test`");
    expect(progressWords(viewOf(...call({ command: "npm test" }), result), 70_000)).toBe(
      "⏳ Still working (1 min 10 s)",
    );
  });

  test("is named alone if its arguments are not informative, and never breaks the formatting", () => {
    expect(progressWords(viewOf(...call({ todos: [] }, "todowrite")), 0)).toBe("⏳ Still working (0 s): todowrite");
    expect(progressWords(viewOf(...call({ command: "echo `date`" })), 0)).toContain("`echo 'date'`");
  });

  test("ends with the turn", () => {
    const end: EventBody = { type: "turn.ended", data: { reason: "aborted", error: null, queued: 0 } };
    expect(viewOf(...call({ command: "x" }), end).tools).toEqual([]);
  });
});

describe("the preview", () => {
  test("shows the tool on its own line below the text, outside a fence that is still open", () => {
    const view = viewOf(delta("Look:\n\n```ts\nconst a = 1;"), ...call({ command: "ls" }));
    expect(previewWords(view)).toBe("Look:\n\n```ts\nconst a = 1;\n```\n\n⏳ bash `ls`");
    expect(progressBelowText(viewOf(delta("Look.")), 10_000)).toBe("Look.\n\n⏳ Still working (10 s)");
  });
});
