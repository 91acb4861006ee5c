import { describe, expect, test } from "vitest";
import type { Part, StoredMessage } from "../client/api.ts";
import { lastActivity, transcriptRows } from "./rows.ts";

const text = (words: string, more: object = {}) => ({ type: "text", text: words, ...more }) as Part;
const compaction = (auto: boolean) => ({ type: "compaction", auto }) as Part;

function user(id: string, ...parts: Part[]): StoredMessage {
  return { info: { id, role: "user", time: { created: 1 } }, parts } as unknown as StoredMessage;
}

function assistant(id: string, parentID: string, more: object = {}, ...parts: Part[]): StoredMessage {
  const info = { id, role: "assistant", parentID, time: { created: 1, completed: 2 }, finish: "stop", ...more };
  return { info, parts } as unknown as StoredMessage;
}

const summary = (id: string, of: string, more: object = {}) =>
  assistant(id, of, { summary: true, ...more }, text("so far"));

/** By id, the row that each user row continues. */
function chain(...rows: StoredMessage[]): Record<string, string> {
  const found = transcriptRows(rows).filter((row) => row.continuesId !== null);
  return Object.fromEntries(found.map((row) => [row.id, row.continuesId ?? ""]));
}

describe("a compaction", () => {
  const prompt = user("ours", text("do it"));
  const toolStep = assistant("step", "ours", { finish: "tool-calls" });
  const asked = [user("asked", compaction(true)), summary("sum", "asked")];
  const goOn = user("go-on", text("Continue.", { synthetic: true }));

  test("mid-turn is followed through the rows that the program puts in the prompt's place", () => {
    expect(chain(prompt, toolStep, ...asked, goOn)).toEqual({ asked: "ours", "go-on": "asked" });
    expect(chain(prompt, toolStep, ...asked, user("again", text("do it")))).toEqual({ asked: "ours", again: "asked" });
  });

  test("can be followed by another one in the same turn", () => {
    const more = [assistant("s2", "go-on", { finish: "tool-calls" }), user("asked2", compaction(true))];
    const last = user("go-on2", text("Continue.", { synthetic: true }));
    expect(chain(prompt, toolStep, ...asked, goOn, ...more, last)).toMatchObject({
      asked2: "go-on",
      "go-on2": "asked2",
    });
  });

  test("after the answer does not add the following rows to the turn", () => {
    expect(chain(prompt, assistant("done", "ours", {}, text("42.")), ...asked, goOn)).toEqual({});
  });

  test("is not continued by the next prompt, no matter who wrote it", () => {
    expect(chain(prompt, toolStep, ...asked, user("next", text("something else")))).toEqual({ asked: "ours" });
    expect(chain(prompt, toolStep, user("hand", compaction(false)), summary("sum", "hand"), goOn)).toEqual({});
  });

  test("writes a summary that is not an answer, but a failed one is shown as a failure", () => {
    const role = (...rows: StoredMessage[]) => transcriptRows(rows).map((row) => row.role);
    expect(role(...asked)).toEqual(["user", "system"]);
    expect(role(summary("sum", "asked", { error: { name: "APIError", data: { message: "no" } } }))).toEqual([
      "assistant",
    ]);
  });
});

test("text, reasoning and tool parts are read, and all other parts count as activity", () => {
  const other = ["step-start", "step-finish", "snapshot", "patch", "file", "agent", "subtask", "retry", "of-tomorrow"];
  const parts = other.map((type) => ({ type, text: "not said" }) as unknown as Part);
  const bash = { type: "tool", callID: "c", tool: "bash", state: { status: "running", input: {}, time: { start: 7 } } };
  const stored = assistant(
    "a",
    "u",
    {},
    ...parts,
    { type: "reasoning", text: "hm" } as Part,
    text("said"),
    bash as Part,
  );
  const [row] = transcriptRows([stored]);
  expect(row).toMatchObject({ text: "said", reasoning: "hm", tools: [{ name: "bash", status: "running" }] });
  expect(lastActivity([stored])).toBe(7);
});

test("text that the program adds to an assistant row is not the agent's", () => {
  const [row] = transcriptRows([assistant("a", "u", {}, text("put in", { synthetic: true }), text("said"))]);
  expect(row?.text).toBe("said");
});

test("a refused permission and a refused question differ from a failed tool", () => {
  const tool = (error: string) =>
    ({ type: "tool", callID: "c", tool: "bash", state: { status: "error", input: {}, error } }) as Part;
  const [row] = transcriptRows([
    assistant("a", "u", {}, tool("The user rejected permission to use this specific tool call."), tool("exit code 1")),
  ]);
  expect(row?.tools.map((one) => one.rejected)).toEqual([true, false]);
});

test("the last activity is found in a session of any length", () => {
  const parts = Array.from({ length: 200_000 }, (_, at) => text("said", { time: { start: at } }));
  expect(lastActivity([assistant("a", "u", {}, ...parts.slice(0, 10)), { ...user("u"), parts }])).toBe(199_999);
});
