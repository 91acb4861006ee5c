import { describe, expect, test } from "vitest";
import type { TranscriptRow } from "../../../core/transcript/transcript.ts";
import type { Json } from "../../json-fields.ts";
import { reopenUnfinishedTurns } from "../../process-pool/transcript-slice.ts";
import { SessionReader } from "./reader.ts";

let count = 0;
let last: string | null = null;
/** A row of the file, as a child of the row before it by default. */
function entry(type: string, more: Json, parentId: string | null = last): Json {
  count += 1;
  last = `e${count}`;
  return { type, id: last, parentId, timestamp: new Date(count * 1000).toISOString(), ...more };
}
const message = (role: string, more: Json, parentId?: string | null) =>
  entry("message", { message: { role, timestamp: (count + 1) * 1000, ...more } }, parentId);
const user = (text: string, parentId?: string | null) => message("user", { content: text }, parentId);
const says = (text: string, stopReason = "stop") =>
  message("assistant", { content: text === "" ? [] : [{ type: "text", text }], stopReason, errorMessage: "it broke" });
const calls = (id: string) =>
  message("assistant", { content: [{ type: "toolCall", id, name: "bash", arguments: {} }], stopReason: "toolUse" });
const result = (toolCallId: string, isError = false) =>
  message("toolResult", { toolCallId, isError, content: [{ type: "text", text: "out" }] });

function readerOf(entries: readonly Json[]): SessionReader {
  const reader = new SessionReader("session");
  for (const one of entries) reader.add(one);
  return reader;
}

const told = ({ role, text, tools, error, completedAt }: TranscriptRow) =>
  [
    role === "user" ? `> ${text}` : text,
    ...tools.map(({ name, status, rejected }) => `[${name} ${status}${rejected ? " refused" : ""}]`),
    ...(error ? [`${error.kind}: ${error.message}`] : []),
    ...(completedAt === null ? ["open"] : []),
  ].join(" ");
const rowsOf = (entries: readonly Json[]) => reopenUnfinishedTurns(readerOf(entries).newest(null, []).rows).map(told);

describe("the transcript", () => {
  test("of a session with two branches has the messages of both under their prompts", () => {
    const first = user("one");
    const entries = [first, says("First."), user("two"), says("Second."), user("three", asId(first)), says("Third.")];
    const { rows } = readerOf(entries).newest(null, []);
    expect(rows.map(told)).toEqual(["> one", "First.", "> two", "Second.", "> three", "Third."]);
    expect(rows.at(-1)?.parentId).toBe(rows.at(-2)?.id);
  });

  test("follows parents through rows that are not messages, such as compactions and notes", () => {
    const between = [entry("compaction", { summary: "s" }), entry("custom", { customType: "other", data: {} })];
    expect(rowsOf([user("go"), calls("c1"), result("c1"), ...between, says("Done.")])).toEqual([
      "> go",
      " [bash completed]",
      "Done.",
    ]);
  });

  test("leaves out messages that pi retried, and keeps the error with which it gave up", () => {
    expect(rowsOf([user("go"), says("", "error"), says("Well.")])).toEqual(["> go", "Well."]);
    expect(rowsOf([user("go"), says("", "error"), says("", "error")])).toEqual(["> go", " failed: it broke"]);
  });

  test("shows a turn as open if the program died in it", () => {
    expect(rowsOf([user("go"), calls("c2")])).toEqual(["> go", " [bash running] open"]);
    expect(rowsOf([user("go"), calls("c3"), result("c3")])).toEqual(["> go", " [bash completed] open"]);
  });

  test("shows a refusal as such, and a stop on the message before it", () => {
    const refused = entry("custom", { customType: "waybill.refused", data: { call: "c4" } }, last);
    const before = [user("go"), calls("c4")];
    expect(
      rowsOf([
        ...before,
        { ...refused, parentId: asId(before[1]) },
        below(refused, result("c4", true)),
        below(refused, says("", "aborted")),
      ]),
    ).toEqual(["> go", " [bash error refused]"]);
    expect(rowsOf([user("go"), calls("c5"), result("c5"), says("", "aborted")])).toEqual([
      "> go",
      " [bash completed] aborted: stopped",
    ]);
  });

  test("has the error of a turn that failed before its model was called, even before later prompts", () => {
    const failure = { role: "assistant", content: [], stopReason: "error", errorMessage: "no key", timestamp: 7 };
    const prompt = user("go");
    const heard = readerOf([]).newest(null, [prompt.message as Json, failure]).rows;
    const entries = [prompt, entry("custom", { customType: "waybill.failed", data: { message: failure } })];
    const written = readerOf([...entries, user("go on"), says("Done.")]).newest(null, []).rows;
    expect(written.map(told)).toEqual(["> go", " failed: no key", "> go on", "Done."]);
    expect(written.slice(0, 2).map(({ id }) => id)).toEqual(heard.map(({ id }) => id));
    expect(readerOf(entries).newest(null, [prompt.message as Json, failure]).rows).toHaveLength(2);
  });

  test("shows reported messages that are not written yet, once", () => {
    const [prompt, answer] = [user("go"), says("Done.")];
    const heard = [prompt, answer].map((one) => one.message as Json);
    const empty = readerOf([]);
    expect(empty.newest(null, heard).rows.map(told)).toEqual(["> go", "Done."]);
    const [written, half] = [readerOf([prompt, answer]), readerOf([prompt])];
    expect(written.newest(null, heard).rows.map(({ id }) => id)).toEqual(
      empty.newest(null, heard).rows.map(({ id }) => id),
    );
    expect(half.newest(null, heard).rows.map(told)).toEqual(["> go", "Done."]);
    const next = user("next");
    expect(written.newest(null, [next.message as Json]).rows.map(told)).toEqual(["> go", "Done.", "> next"]);
    expect(written.newest(2, [next.message as Json])).toMatchObject({ complete: false, rows: [{}, { text: "next" }] });
  });
});

function asId(one: Json | undefined): string {
  return String(one?.id);
}

function below(parent: Json, one: Json): Json {
  return { ...one, parentId: parent.id };
}
