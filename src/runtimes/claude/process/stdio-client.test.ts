import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import type { Json } from "../../json-fields.ts";
import { jsonIn } from "../../json-fields.ts";
import { TranscriptReader } from "../transcript/transcript-reader.ts";
import type { TurnResult } from "./stdio-client.ts";
import { StdioClient } from "./stdio-client.ts";

const fixtures = fileURLToPath(new URL("../../../../test/fixtures/claude", import.meta.url));
const first = "a77e0001-0000-4000-8000-000000000001";
const second = "a77e0001-0000-4000-8000-000000000002";

function recorded(name: string, kind: "lines" | "rows" = "lines"): Json[] {
  const lines = readFileSync(`${fixtures}/${name}.${kind}.jsonl`, "utf8").split("\n");
  return lines.map(jsonIn).filter((line) => line !== null);
}

let written: Json[];
let results: TurnResult[];
let changes: number;
let conversation: StdioClient;
beforeEach(() => {
  written = [];
  results = [];
  changes = 0;
  conversation = new StdioClient({
    sessionId: "session",
    write: (line) => written.push(line as Json),
    now: () => 7,
    onResult: (result) => results.push(result),
    onChange: () => {
      changes += 1;
    },
  });
});

const hearAll = (lines: readonly Json[]) => {
  for (const line of lines) conversation.hear(line);
};
const lifecycle = (command_uuid: string, state: string): Json => ({ type: "command_lifecycle", command_uuid, state });
const until = (lines: readonly Json[], type: string) =>
  lines.slice(0, lines.findIndex((line) => line.type === type) + 1);

/** Whether it is settled by now, without waiting for it. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), Promise.resolve().then(() => false)]);
}

describe("a prompt", () => {
  test.each(["completed", "cancelled", "discarded", "refused"])("that is %s leaves the session at rest", (state) => {
    void conversation.prompt("u", "go");
    conversation.hear(lifecycle("u", "queued"));
    conversation.hear(lifecycle("u", state));
    expect(conversation.isWorking).toBe(false);
  });

  test("is written under its id, and the session is at work from then on", () => {
    void conversation.prompt("u", "two and two");
    const message = { role: "user", content: [{ type: "text", text: "two and two" }] };
    expect(written).toEqual([{ type: "user", uuid: "u", message }]);
    expect(conversation.isWorking).toBe(true);
  });

  test("is taken when the program says that it is queued, before a word of the answer", async () => {
    const taken = conversation.prompt("u", "go");
    expect(await isSettled(taken)).toBe(false);
    conversation.hear(lifecycle("another", "queued"));
    expect(await isSettled(taken)).toBe(false);
    conversation.hear(lifecycle("u", "queued"));
    expect(await taken).toBe(true);
    expect(conversation.isWorking).toBe(true);
  });

  test("that the program knows and runs no more is echoed, and the session rests", async () => {
    const taken = conversation.prompt("u", "go");
    conversation.hear({ type: "user", uuid: "u", isReplay: true });
    conversation.hear(lifecycle("u", "completed"));
    expect(await taken).toBe(true);
    expect(conversation.isWorking).toBe(false);
  });

  test("that was sent before to this program is only echoed, and keeps nobody waiting", async () => {
    void conversation.prompt(first, "one");
    hearAll(until(recorded("two-turns"), "result"));
    const again = conversation.prompt(first, "one");
    expect(conversation.isWorking).toBe(false);
    conversation.hear({ type: "user", uuid: first, isReplay: true });
    expect(await again).toBe(true);
  });

  test("that the program does not live to take is not taken, and neither is a later one", async () => {
    const taken = conversation.prompt("u", "go");
    conversation.end("It was ended by SIGKILL.");
    expect(await taken).toBe(false);
    expect(await conversation.prompt("v", "go")).toBe(false);
    expect(written).toHaveLength(1);
  });
});

describe("a turn", () => {
  test("ends with the result that names its prompt; the next one has its own", () => {
    const lines = recorded("two-turns");
    const end = lines.findIndex(({ type }) => type === "result");
    void conversation.prompt(first, "one");
    hearAll(lines.slice(0, end));
    expect(conversation.isWorking).toBe(true);
    hearAll(lines.slice(end, end + 2));
    expect(conversation.isWorking).toBe(false);
    void conversation.prompt(second, "two");
    hearAll(lines.slice(end + 2));
    expect(results.map(({ prompts, error, at }) => ({ prompts, error, at }))).toEqual([
      { prompts: [first], error: null, at: 7 },
      { prompts: [second], error: null, at: 7 },
    ]);
  });

  test("that took several prompts ends all of them, and no other", () => {
    for (const uuid of ["u", "v", "w"]) void conversation.prompt(uuid, "go");
    conversation.hear({ type: "result", user_message_uuids: ["u", "v"] });
    expect(conversation.isWorking).toBe(true);
    conversation.hear({ type: "result", user_message_uuids: ["w"] });
    expect(conversation.isWorking).toBe(false);
  });

  test("whose result names nobody was the oldest prompt's, unless the program began it by itself", () => {
    void conversation.prompt("u", "go");
    conversation.hear({ type: "result", origin: { kind: "task-notification" } });
    expect(conversation.isWorking).toBe(true);
    conversation.hear({ type: "result" });
    expect(conversation.isWorking).toBe(false);
    expect(results.map(({ prompts }) => prompts)).toEqual([[], ["u"]]);
  });

  test("that the program begins by itself keeps the session at work until its result", () => {
    const lines = recorded("background");
    const end = lines.findIndex(({ type }) => type === "result");
    void conversation.prompt(first, "go");
    hearAll(lines.slice(0, end + 2));
    expect(conversation.isWorking).toBe(false);
    hearAll(lines.slice(end + 2, -1));
    expect(conversation.isWorking).toBe(true);
    hearAll(lines.slice(-1));
    expect(conversation.isWorking).toBe(false);
  });

  test("that failed says so, whatever its subtype", () => {
    void conversation.prompt(first, "go");
    hearAll(recorded("api-error"));
    expect(results[0]).toMatchObject({ prompts: [first], error: "Credit balance is too low" });
  });

  test("that was interrupted is over", () => {
    void conversation.prompt(first, "go");
    hearAll(recorded("interrupted"));
    expect(conversation.isWorking).toBe(false);
    expect(results[0]?.error).toBe("error_during_execution");
  });

  test("is over with its program, though no result came", () => {
    void conversation.prompt(first, "go");
    hearAll(recorded("killed"));
    expect(conversation.isWorking).toBe(true);
    conversation.end("It was ended by SIGKILL.");
    expect(conversation.isWorking).toBe(false);
    expect(results).toEqual([]);
  });

  test.each(
    readdirSync(fixtures)
      .filter((name) => name.endsWith(".lines.jsonl"))
      .map((name) => name.replace(".lines.jsonl", "")),
  )("%s: the newest row that was told of is one that the transcript has", (name) => {
    hearAll(recorded(name));
    const book = new TranscriptReader();
    for (const row of recorded(name, "rows")) book.take(row);
    // Where the agent said nothing at all, there is none.
    expect(conversation.newestRow === null).toBe(name === "empty");
    expect(conversation.newestRow === null || book.has(conversation.newestRow)).toBe(true);
  });
});

describe("what the program asks", () => {
  test("is a permission with what it wants to do, until it is answered", () => {
    void conversation.prompt(first, "go");
    hearAll(until(recorded("permission-allowed"), "control_request"));
    const [ask] = conversation.asks;
    expect(ask).toMatchObject({ kind: "permission", sessionId: "session", tool: "Bash", askedAt: 7 });
    expect(ask?.title).toMatch(/^Bash: /);
    if (ask) conversation.answer(ask, { behavior: "allow" });
    const response = { subtype: "success", request_id: ask?.id, response: { behavior: "allow" } };
    expect(written.at(-1)).toEqual({ type: "control_response", response });
    expect(conversation.asks).toEqual([]);
    expect(conversation.isWorking).toBe(true);
  });

  test("is a question with its text", () => {
    hearAll(until(recorded("questions"), "control_request"));
    expect(conversation.asks).toMatchObject([{ kind: "question", tool: "AskUserQuestion" }]);
    expect(conversation.asks[0]?.title).toContain("?");
  });

  test("is gone when the program takes it back, when its turn ends, and with the program", () => {
    const [line] = recorded("permission-allowed").filter(({ type }) => type === "control_request");
    const asked = () => {
      if (line) conversation.hear(line);
      expect(conversation.asks).toHaveLength(1);
    };
    asked();
    conversation.hear({ type: "control_cancel_request", request_id: line?.request_id });
    expect(conversation.asks).toEqual([]);
    asked();
    conversation.hear({ type: "result", user_message_uuids: [] });
    expect(conversation.asks).toEqual([]);
    asked();
    conversation.end("It ended.");
    expect(conversation.asks).toEqual([]);
  });

  test("is nothing for a person if it is no tool, and is declined at once: nobody else would answer it", () => {
    conversation.hear({ type: "control_request", request_id: "r", request: { subtype: "elicitation" } });
    expect(conversation.asks).toEqual([]);
    const response = { subtype: "error", request_id: "r", error: "Unsupported control request subtype: elicitation" };
    expect(written).toEqual([{ type: "control_response", response }]);
  });
});

describe("a request to the program", () => {
  const requestId = () => written.at(-1)?.request_id;
  const answered = (response: Json) => conversation.hear({ type: "control_response", response });

  test("resolves with its own answer, and not with the echo of one of ours", async () => {
    const ready = conversation.request({ subtype: "initialize" });
    answered({ subtype: "success", request_id: "another", response: {} });
    expect(await isSettled(ready)).toBe(false);
    answered({ subtype: "success", request_id: requestId(), response: { agents: [] } });
    expect(await ready).toEqual({ agents: [] });
  });

  test("that it refuses, or does not live to answer, fails with the reason", async () => {
    const refused = conversation.request({ subtype: "no_such_thing" });
    answered({ subtype: "error", request_id: requestId(), error: "Unsupported" });
    await expect(refused).rejects.toThrow("Unsupported");
    const late = conversation.request({ subtype: "interrupt" });
    conversation.end("It ended.");
    await expect(late).rejects.toThrow("It ended.");
    await expect(conversation.request({ subtype: "interrupt" })).rejects.toThrow("It ended.");
  });
});

test("what changes nothing for anybody is no reason to look", () => {
  hearAll([{ type: "system", subtype: "status" }, {}, { type: "new_kind" }]);
  expect(changes).toBe(0);
});
