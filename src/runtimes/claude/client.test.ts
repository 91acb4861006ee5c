import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import type { Json } from "../json-fields.ts";
import { jsonIn } from "../json-fields.ts";
import { StdioClient } from "./client.ts";
import type { TurnResult } from "./lines.ts";
import { TranscriptReader } from "./transcript/reader.ts";

const fixtures = fileURLToPath(new URL("../../../test/fixtures/claude", import.meta.url));
const first = "a77e0001-0000-4000-8000-000000000001";
const second = "a77e0001-0000-4000-8000-000000000002";

function recorded(name: string, kind: "lines" | "rows" = "lines"): Json[] {
  const lines = readFileSync(`${fixtures}/${name}.${kind}.jsonl`, "utf8").split("\n");
  return lines.map(jsonIn).filter((line) => line !== null);
}

let written: Json[];
let results: TurnResult[];
let changes: number;
let client: StdioClient;
beforeEach(() => {
  written = [];
  results = [];
  changes = 0;
  const connection = {
    write: (line: object) => written.push(line as Json),
    now: () => 7,
    onIdle: () => {},
    onChange: () => {
      changes += 1;
    },
  };
  client = new StdioClient(connection, (result) => results.push(result));
});

const receiveAll = (lines: readonly Json[]) => {
  for (const line of lines) client.receive(line);
};
const lifecycle = (command_uuid: string, state: string): Json => ({ type: "command_lifecycle", command_uuid, state });
const until = (lines: readonly Json[], type: string) =>
  lines.slice(0, lines.findIndex((line) => line.type === type) + 1);

/** Whether the promise is already settled; does not wait for it. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), Promise.resolve().then(() => false)]);
}

describe("a prompt", () => {
  test.each(["completed", "cancelled", "discarded", "refused"])("that is %s leaves the session idle", (state) => {
    void client.prompt("u", "go");
    client.receive(lifecycle("u", "queued"));
    client.receive(lifecycle("u", state));
    expect(client.isWorking).toBe(false);
  });

  test("is written with its id, and makes the session busy", () => {
    void client.prompt("u", "two and two");
    const message = { role: "user", content: [{ type: "text", text: "two and two" }] };
    expect(written).toEqual([{ type: "user", uuid: "u", message }]);
    expect(client.isWorking).toBe(true);
  });

  test("is accepted when the program reports it as queued, before any output", async () => {
    const taken = client.prompt("u", "go");
    expect(await isSettled(taken)).toBe(false);
    client.receive(lifecycle("another", "queued"));
    expect(await isSettled(taken)).toBe(false);
    client.receive(lifecycle("u", "queued"));
    expect(await taken).toBe(true);
    expect(client.isWorking).toBe(true);
  });

  test("that the program already knows is only echoed, and the session stays idle", async () => {
    const taken = client.prompt("u", "go");
    client.receive({ type: "user", uuid: "u", isReplay: true });
    client.receive(lifecycle("u", "completed"));
    expect(await taken).toBe(true);
    expect(client.isWorking).toBe(false);
  });

  test("that is sent again to the same program is accepted when it is echoed", async () => {
    void client.prompt(first, "one");
    receiveAll(until(recorded("two-turns"), "result"));
    const again = client.prompt(first, "one");
    expect(client.isWorking).toBe(false);
    client.receive({ type: "user", uuid: first, isReplay: true });
    expect(await again).toBe(true);
  });

  test("is not accepted if the program ends first, and neither is a later one", async () => {
    const taken = client.prompt("u", "go");
    client.end("It was ended by SIGKILL.");
    expect(await taken).toBe(false);
    expect(await client.prompt("v", "go")).toBe(false);
    expect(written).toHaveLength(1);
  });
});

describe("a turn", () => {
  test("ends with the result that names its prompt, and the next turn has its own result", () => {
    const lines = recorded("two-turns");
    const end = lines.findIndex(({ type }) => type === "result");
    void client.prompt(first, "one");
    receiveAll(lines.slice(0, end));
    expect(client.isWorking).toBe(true);
    receiveAll(lines.slice(end, end + 2));
    expect(client.isWorking).toBe(false);
    void client.prompt(second, "two");
    receiveAll(lines.slice(end + 2));
    expect(results.map(({ prompts, error, at }) => ({ prompts, error, at }))).toEqual([
      { prompts: [first], error: null, at: 7 },
      { prompts: [second], error: null, at: 7 },
    ]);
  });

  test("that took several prompts ends those prompts and no others", () => {
    for (const uuid of ["u", "v", "w"]) void client.prompt(uuid, "go");
    client.receive({ type: "result", user_message_uuids: ["u", "v"] });
    expect(client.isWorking).toBe(true);
    client.receive({ type: "result", user_message_uuids: ["w"] });
    expect(client.isWorking).toBe(false);
  });

  test("ends the oldest prompt if its result names none, unless the program started the turn", () => {
    void client.prompt("u", "go");
    client.receive({ type: "result", origin: { kind: "task-notification" } });
    expect(client.isWorking).toBe(true);
    client.receive({ type: "result" });
    expect(client.isWorking).toBe(false);
    expect(results.map(({ prompts }) => prompts)).toEqual([[], ["u"]]);
  });

  test("that the program starts on its own keeps the session busy until its result", () => {
    const lines = recorded("background");
    const end = lines.findIndex(({ type }) => type === "result");
    void client.prompt(first, "go");
    receiveAll(lines.slice(0, end + 2));
    expect(client.isWorking).toBe(false);
    receiveAll(lines.slice(end + 2, -1));
    expect(client.isWorking).toBe(true);
    receiveAll(lines.slice(-1));
    expect(client.isWorking).toBe(false);
  });

  test("that another program started keeps the session busy from its start, before any output, until its result", () => {
    client.receive(lifecycle("theirs", "started"));
    expect(client.isWorking).toBe(true);
    expect(changes).toBe(1);
    client.receive({ type: "result", origin: { kind: "peer" } });
    expect(client.isWorking).toBe(false);
    client.receive(lifecycle("theirs", "completed"));
    expect(client.isWorking).toBe(false);
  });

  test("that another program started is over when the program discards it, even without a result", () => {
    receiveAll([lifecycle("theirs", "started"), lifecycle("theirs", "discarded")]);
    expect(client.isWorking).toBe(false);
  });

  test("of ours that also took another program's prompt is over with its result", () => {
    void client.prompt("u", "go");
    receiveAll([lifecycle("u", "queued"), lifecycle("u", "started")]);
    receiveAll([lifecycle("theirs", "started"), lifecycle("theirs", "completed")]);
    expect(client.isWorking).toBe(true);
    client.receive({ type: "result", user_message_uuids: ["u"] });
    expect(client.isWorking).toBe(false);
  });

  test("that failed has an error, whatever its subtype", () => {
    void client.prompt(first, "go");
    receiveAll(recorded("api-error"));
    expect(results[0]).toMatchObject({ prompts: [first], error: "Credit balance is too low" });
  });

  test("that was interrupted is over", () => {
    void client.prompt(first, "go");
    receiveAll(recorded("interrupted"));
    expect(client.isWorking).toBe(false);
    expect(results[0]?.error).toBe("error_during_execution");
  });

  test("is over when the program ends, even without a result", () => {
    void client.prompt(first, "go");
    receiveAll(recorded("killed"));
    expect(client.isWorking).toBe(true);
    client.end("It was ended by SIGKILL.");
    expect(client.isWorking).toBe(false);
    expect(results).toEqual([]);
  });

  test.each(
    readdirSync(fixtures)
      .filter((name) => name.endsWith(".lines.jsonl"))
      .map((name) => name.replace(".lines.jsonl", "")),
  )("%s: the newest reported row is in the transcript", (name) => {
    receiveAll(recorded(name));
    const reader = new TranscriptReader();
    for (const row of recorded(name, "rows")) reader.add(row);
    // There is none if the agent said nothing at all.
    expect(client.newestRow === null).toBe(name === "empty");
    expect(client.newestRow === null || reader.has(client.newestRow)).toBe(true);
  });
});

describe("an ask of the program", () => {
  test("is a permission with the tool and its input, until it is answered", () => {
    void client.prompt(first, "go");
    receiveAll(until(recorded("permission-allowed"), "control_request"));
    const [ask] = client.asks;
    expect(ask).toMatchObject({ kind: "permission", detail: { tool: "Bash" }, askedAt: 7 });
    expect(ask?.title).toMatch(/^Bash: /);
    client.answer(ask?.id ?? "", { decision: "once" });
    const response = {
      subtype: "success",
      request_id: ask?.id,
      response: { behavior: "allow", updatedInput: ask?.detail.input },
    };
    expect(written.at(-1)).toEqual({ type: "control_response", response });
    expect(client.asks).toEqual([]);
    expect(client.isWorking).toBe(true);
  });

  test("is a question with its text", () => {
    receiveAll(until(recorded("questions"), "control_request"));
    expect(client.asks).toMatchObject([{ kind: "question", detail: { tool: "AskUserQuestion" } }]);
    expect(client.asks[0]?.title).toContain("?");
  });

  test("ends when the program cancels it, when its turn ends, and when the program ends", () => {
    const [line] = recorded("permission-allowed").filter(({ type }) => type === "control_request");
    const asked = () => {
      if (line) client.receive(line);
      expect(client.asks).toHaveLength(1);
    };
    asked();
    client.receive({ type: "control_cancel_request", request_id: line?.request_id });
    expect(client.asks).toEqual([]);
    asked();
    client.receive({ type: "result", user_message_uuids: [] });
    expect(client.asks).toEqual([]);
    asked();
    client.end("It ended.");
    expect(client.asks).toEqual([]);
  });

  test("that is not about a tool is declined immediately and not shown to people", () => {
    client.receive({ type: "control_request", request_id: "r", request: { subtype: "elicitation" } });
    expect(client.asks).toEqual([]);
    const response = { subtype: "error", request_id: "r", error: "Unsupported control request subtype: elicitation" };
    expect(written).toEqual([{ type: "control_response", response }]);
  });
});

describe("a request to the program", () => {
  const requestId = () => written.at(-1)?.request_id;
  const answered = (response: Json) => client.receive({ type: "control_response", response });

  test("resolves with its own response, and not with the echo of one of ours", async () => {
    const ready = client.request("initialize");
    answered({ subtype: "success", request_id: "another", response: {} });
    expect(await isSettled(ready)).toBe(false);
    answered({ subtype: "success", request_id: requestId(), response: { agents: [] } });
    expect(await ready).toEqual({ agents: [] });
  });

  test("fails with the reason if the program refuses it or ends first", async () => {
    const refused = client.request("no_such_thing");
    answered({ subtype: "error", request_id: requestId(), error: "Unsupported" });
    await expect(refused).rejects.toThrow("Unsupported");
    const late = client.request("interrupt");
    client.end("It ended.");
    await expect(late).rejects.toThrow("It ended.");
    await expect(client.request("interrupt")).rejects.toThrow("It ended.");
  });
});

test("a line that changes nothing reports no change", () => {
  receiveAll([{ type: "system", subtype: "status" }, {}, { type: "new_kind" }]);
  expect(changes).toBe(0);
});
