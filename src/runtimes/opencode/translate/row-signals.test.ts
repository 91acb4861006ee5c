import { describe, expect, test } from "vitest";
import type { StoredMessage } from "../client/api.ts";
import { restSignal, signalsFromRows, unpublishedRows } from "./row-signals.ts";
import { OpencodeTranslator } from "./translate.ts";

const sessionID = "ses_1";
const anchors = { openPrompt: null, endedPrompt: null };

function prompt(id: string, created: number): StoredMessage {
  const parts = [{ id: `prt_${id}`, sessionID, messageID: id, type: "text", text: id }];
  return { info: { id, sessionID, role: "user", time: { created } }, parts } as unknown as StoredMessage;
}

function answer(id: string, created: number, completed: number | null, more: object = {}): StoredMessage {
  const time = completed === null ? { created } : { created, completed };
  const tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
  const info = { id, sessionID, role: "assistant", parentID: "u", time, tokens, cost: 0, finish: "stop", ...more };
  return { info, parts: [] } as unknown as StoredMessage;
}

function published(rows: readonly StoredMessage[]): string[] {
  const signals = signalsFromRows(
    { root: sessionID, rows, subtaskRows: new Map(), busy: false },
    new OpencodeTranslator((id) => id),
  );
  return signals.flatMap((signal) => {
    if (signal.type === "rest") return [`rest ${signal.reason ?? ""}`.trim()];
    return signal.type === "prompt" || signal.type === "message" ? [signal.message] : [];
  });
}

describe("between two prompts in the rows, there is", () => {
  test("an end if the first had its answer before the second arrived", () => {
    expect(published([prompt("u1", 1), answer("a1", 2, 3), prompt("u2", 4), answer("a2", 5, 6)])).toEqual([
      "u1",
      "a1",
      "rest",
      "u2",
      "a2",
    ]);
  });

  test("no end if the second arrived during the first one's answer, or between two of its steps", () => {
    expect(published([prompt("u1", 1), answer("a1", 2, 5), prompt("u2", 4), answer("a2", 6, 7)])).not.toContain("rest");
    const step = answer("a1", 2, 3, { finish: "tool-calls" });
    expect(published([prompt("u1", 1), step, prompt("u2", 4), answer("a2", 6, 7)])).not.toContain("rest");
  });

  test("an interruption if the first one's answer was never finished", () => {
    expect(published([prompt("u1", 1), answer("a1", 2, null), prompt("u2", 4), answer("a2", 6, 7)])).toEqual([
      "u1",
      "a1",
      "rest interrupted",
      "u2",
      "a2",
    ]);
  });

  test("an end if the first one failed mid-turn", () => {
    const failed = answer("a1", 2, 3, { finish: "tool-calls", error: { name: "APIError", data: { message: "no" } } });
    expect(published([prompt("u1", 1), failed, prompt("u2", 4)])).toContain("rest");
  });
});

test("a session that becomes idle mid-turn was interrupted", () => {
  expect(restSignal([prompt("u1", 1), answer("a1", 2, 3)])).toEqual({ type: "rest" });
  expect(restSignal([prompt("u1", 1), answer("a1", 2, null)])).toEqual({ type: "rest", reason: "interrupted" });
  const step = answer("a1", 2, 3, { finish: "tool-calls" });
  expect(restSignal([prompt("u1", 1), step])).toEqual({ type: "rest", reason: "interrupted" });
});

describe("the unpublished part of the rows", () => {
  const rows = [prompt("u1", 1), answer("a1", 2, 3), prompt("u2", 4), answer("a2", 5, 6), prompt("u3", 7)];
  test.each([
    ["the newest turn, if nothing is known", anchors, ["u3"]],
    ["from the turn that has no end yet", { ...anchors, openPrompt: "u1" }, ["u1", "a1", "u2", "a2", "u3"]],
    ["from the turn after the last one with a published end", { ...anchors, endedPrompt: "u1" }, ["u2", "a2", "u3"]],
    ["the newest turn again, if there is none after it", { ...anchors, endedPrompt: "u3" }, ["u3"]],
    ["unknown, if the rows do not reach back that far", { ...anchors, endedPrompt: "u0" }, undefined],
  ])("is %s", (_what, known, ids) => {
    expect(unpublishedRows(rows, known)?.map(({ info }) => info.id)).toEqual(ids);
  });
});

test("a text that is stored as empty is not published, since OpenCode stores it only when it is complete", () => {
  const part = (id: string, text: string) => ({ id, sessionID, messageID: "a1", type: "text", text });
  const open = { ...answer("a1", 2, null), parts: [part("p1", "Whole."), part("p2", "")] } as unknown as StoredMessage;
  const turns = { root: sessionID, rows: [prompt("u1", 1), open], subtaskRows: new Map(), busy: true };
  const translator = new OpencodeTranslator((id) => id);
  const said = signalsFromRows(turns, translator).filter(({ type }) => type === "part");
  expect(said).toMatchObject([{ part: "p1", text: "Whole." }]);
  // Its deltas are still accepted.
  const delta = { sessionID, messageID: "a1", partID: "p2", field: "text", delta: "on" };
  expect(translator.translate({ id: "e1", type: "message.part.delta", properties: delta }, 3)).toMatchObject([
    { type: "delta", part: "p2", text: "on" },
  ]);
});
