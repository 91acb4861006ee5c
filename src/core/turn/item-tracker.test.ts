import { describe, expect, test } from "vitest";
import { ItemTracker } from "./item-tracker.ts";
import type { SignalBody, ToolState } from "./signal.ts";
import type { EventBody } from "./universal-event.ts";

type Words = Extract<SignalBody, { type: "part" | "delta" }>;

const whole = (text: string, part = "t", message = "a1"): Words => ({
  type: "part",
  message,
  part,
  kind: "text",
  text,
});
const more = (text: string, part = "t", message = "a1"): Words => ({
  type: "delta",
  message,
  part,
  kind: "text",
  text,
});
const tool = (state: ToolState) => ({ type: "tool", message: "a1", call: "c1", name: "bash", state }) as const;
const putsOut = (output: string) => tool({ status: "running", input: {}, output });
const input = (text: string) => ({ type: "tool_input_delta", call: "c1", text }) as const;

/** `part@offset text`, without the offset if there is none. */
function deltas(bodies: readonly EventBody[]): string[] {
  return bodies.flatMap((body) => {
    if (body.type !== "item.delta") return [];
    const { part, offset, text } = body.data;
    return [`${part}${offset === undefined ? "" : `@${offset}`} ${text}`];
  });
}

/** A tracker restored from earlier events, as after a restart. */
function restarted(told: readonly EventBody[]): ItemTracker {
  const tracker = new ItemTracker();
  for (const body of told) if (body.type !== "item.delta") tracker.restore(body);
  return tracker;
}

describe("a delta has the offset of its text", () => {
  test("when text comes as deltas, counted separately for each part", () => {
    const tracker = new ItemTracker();
    const said = [more("Hel"), more("lo"), more("Hm", "r"), more("!"), more("…", "r")];
    expect(deltas(said.flatMap((one) => tracker.words(one)))).toEqual([
      "t@0 Hel",
      "t@3 lo",
      "r@0 Hm",
      "t@5 !",
      "r@2 …",
    ]);
  });

  test("when text comes in full, as deltas in between, and repeated", () => {
    const tracker = new ItemTracker();
    const said = [whole("Hel"), whole("Hel"), more("lo"), whole("Hello"), whole("Hello you")];
    expect(deltas(said.flatMap((one) => tracker.words(one)))).toEqual(["t@0 Hel", "t@3 lo", "t@5  you"]);
  });

  test("in UTF-16 units, like the length of JavaScript strings", () => {
    const tracker = new ItemTracker();
    expect(deltas([more("🙂"), more("é"), more("!")].flatMap((one) => tracker.words(one)))).toEqual([
      "t@0 🙂",
      "t@2 é",
      "t@3 !",
    ]);
  });

  test("for a tool's output", () => {
    const tracker = new ItemTracker();
    const told = [putsOut(""), putsOut("one\n"), putsOut("one\n"), putsOut("one\ntwo\n")];
    expect(deltas(told.flatMap((one) => tracker.tool(one)))).toEqual(["c1@0 one\n", "c1@4 two\n"]);
  });

  test("for a tool's input", () => {
    const tracker = new ItemTracker();
    tracker.tool(tool({ status: "pending" }));
    const told = [input('{"a"'), input(""), input(":1}")];
    expect(deltas(told.flatMap((one) => tracker.inputDelta(one)))).toEqual(['c1@0 {"a"', "c1@4 :1}"]);
  });
});

describe("after a restart", () => {
  const toldBefore = () => {
    const tracker = new ItemTracker();
    return [...tracker.words(more("Hel")), ...tracker.tool(putsOut("one\n"))];
  };

  test("a delta has no offset until the full text is reported again", () => {
    const tracker = restarted(toldBefore());
    const said = [more("lo"), more(" yo"), whole("Hello you"), more("!"), whole("Hello you!")];
    expect(deltas(said.flatMap((one) => tracker.words(one)))).toEqual(["t lo", "t  yo", "t@9 ", "t@9 !"]);
  });

  test("a repeated text is published once, by its length alone", () => {
    const tracker = restarted(toldBefore());
    const said = [whole("Hello"), whole("Hello"), whole("Hello you")];
    expect(deltas(said.flatMap((one) => tracker.words(one)))).toEqual(["t@5 ", "t@5  you"]);
    const told = [putsOut("one\ntwo\n"), putsOut("one\ntwo\n"), putsOut("one\ntwo\nthree\n")];
    expect(deltas(told.flatMap((one) => tracker.tool(one)))).toEqual(["c1@8 ", "c1@8 three\n"]);
  });

  test("a text that begins after it is known from its start, in old and new messages", () => {
    const tracker = restarted(toldBefore());
    const said = [whole("", "next"), more("Now", "next"), more(".", "next"), more("New", "t", "a2")];
    expect(deltas(said.flatMap((one) => tracker.words(one)))).toEqual(["next@0 Now", "next@3 .", "t@0 New"]);
  });

  test("a late empty start does not make a partly reported text complete", () => {
    const tracker = restarted(toldBefore());
    const said = [more("lo"), whole(""), more("!")];
    expect(deltas(said.flatMap((one) => tracker.words(one)))).toEqual(["t lo", "t !"]);
  });

  test("the input of an old call has no known start", () => {
    const first = new ItemTracker();
    const told = [...first.tool(tool({ status: "pending" })), ...first.inputDelta(input('{"a"'))];
    const tracker = restarted(told);
    expect(deltas(tracker.inputDelta(input(":1}")))).toEqual(["c1 :1}"]);
    expect(tracker.openItems().find(({ kind }) => kind === "tool_call")?.parts).toEqual([]);
  });

  test("open items have only the texts that are known from their start", () => {
    const tracker = restarted(toldBefore());
    for (const said of [more("lo"), whole("Hm.", "r")]) tracker.words(said);
    const [message, result] = tracker.openItems();
    expect(message?.parts).toEqual([{ type: "text", id: "r", text: "Hm." }]);
    expect(result).toMatchObject({ id: "result:c1", parts: [] });
  });
});

describe("open items", () => {
  test("are listed in the order they began, with their content so far", () => {
    const tracker = new ItemTracker();
    tracker.words({ type: "delta", message: "a1", part: "r", kind: "reasoning", text: "Hm." });
    tracker.words(more("Look"));
    tracker.tool(putsOut("one\n"));
    tracker.tool({ ...tool({ status: "pending" }), call: "c2" });
    tracker.inputDelta({ ...input('{"path":'), call: "c2" });
    const common = { role: null, status: "in_progress" };
    expect(tracker.openItems()).toEqual([
      {
        ...{ ...common, id: "a1", kind: "message", role: "assistant", name: null, parent: null },
        parts: [
          { type: "reasoning", id: "r", text: "Hm." },
          { type: "text", id: "t", text: "Look" },
        ],
      },
      {
        ...{ ...common, id: "result:c1", kind: "tool_result", name: "bash", parent: "call:c1" },
        parts: [{ type: "tool_result", call: "c1", name: "bash", output: "one\n", isError: false, rejected: false }],
      },
      {
        ...{ ...common, id: "call:c2", kind: "tool_call", name: "bash", parent: "a1" },
        parts: [{ type: "tool_call", call: "c2", name: "bash", input: '{"path":' }],
      },
    ]);
  });

  test("are copies that later signals do not change", () => {
    const tracker = new ItemTracker();
    tracker.words(more("Look"));
    const [shown] = tracker.openItems();
    tracker.words(more("ing"));
    expect(shown?.parts).toEqual([{ type: "text", id: "t", text: "Look" }]);
  });

  test("are removed when they end, and a cut-off call leaves no partial input behind", () => {
    const tracker = new ItemTracker();
    tracker.tool(tool({ status: "pending" }));
    tracker.inputDelta(input('{"a"'));
    const ends = tracker.closeAll().filter(({ type }) => type === "item.completed");
    expect(ends).toContainEqual({
      type: "item.completed",
      data: { item: expect.objectContaining({ id: "call:c1", status: "failed", parts: [] }) },
    });
    expect(tracker.openItems()).toEqual([]);
  });
});
