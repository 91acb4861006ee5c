import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { ModelCall } from "./call-log.ts";
import { readCalls } from "./call-log.ts";
import type { ScriptedModel, ScriptedModelOptions } from "./server.ts";
import { startScriptedModel } from "./server.ts";

const directory = mkdtempSync(join(tmpdir(), "scripted-model-"));
const models: ScriptedModel[] = [];
afterEach(async () => {
  for (const model of models.splice(0)) await model.close();
  rmSync(directory, { recursive: true, force: true });
});

async function start(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const model = await startScriptedModel(options);
  models.push(model);
  return model;
}

function ask(model: ScriptedModel, prompt: string, signal?: AbortSignal, stream = true): Promise<Response> {
  const tools = [{ type: "function", function: { name: "bash" } }];
  const body = JSON.stringify({ stream, tools, messages: [{ role: "user", content: prompt }] });
  return fetch(`${model.url}/v1/chat/completions`, { method: "POST", body, ...(signal ? { signal } : {}) });
}

async function answerTo(model: ScriptedModel, prompt: string): Promise<string> {
  const body = await (await ask(model, prompt, undefined, false)).json();
  return (body as { choices: [{ message: { content: string } }] }).choices[0].message.content;
}

describe("an incomplete answer", () => {
  test.each([true, false])("is cut off before its first byte (stream: %s)", async (stream) => {
    const model = await start({ script: { rules: [{ steps: [{ say: "Hi.", breaks: { how: "cut" } }] }] } });
    await expect(ask(model, "go", undefined, stream)).rejects.toThrow("fetch failed");
  });

  test("is cut off in the middle, after the pieces before it", async () => {
    const model = await start({
      script: { rules: [{ steps: [{ say: "abcdef", pieceLength: 2, breaks: { how: "cut", afterPieces: 2 } }] }] },
    });
    const { body } = await ask(model, "go");
    let text = "";
    const reading = (async () => {
      for await (const chunk of body ?? []) text += Buffer.from(chunk).toString();
    })();
    await expect(reading).rejects.toThrow("terminated");
    expect(text).toContain('"cd"');
    expect(text).not.toContain('"ef"');
    expect(model.calls).toMatchObject([{ aborted: false }]);
  });

  test.each([0, 1])("hangs after %i pieces until the caller gives up", async (afterPieces) => {
    const caller = new AbortController();
    const script = { rules: [{ steps: [{ say: "Hi.", breaks: { how: "hang" as const, afterPieces } }] }] };
    const model = await start({ script, onCall: () => setTimeout(() => caller.abort(), 50) });
    await expect(ask(model, "go", caller.signal).then((response) => response.text())).rejects.toThrow("abort");
    await expect.poll(() => model.calls).toMatchObject([{ aborted: true, endedAt: expect.any(Number) }]);
  });

  test("is an error if no stream was requested", async () => {
    const model = await start({ script: { rules: [{ steps: [{ breaks: { how: "error", message: "Sorry." } }] }] } });
    const response = await ask(model, "go", undefined, false);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { message: "Sorry." } });
  });

  test("is never sent by a closed model", async () => {
    let onCalled: (call: ModelCall) => void = () => {};
    const called = new Promise<ModelCall>((resolve) => {
      onCalled = resolve;
    });
    const model = await startScriptedModel({
      script: { rules: [{ steps: [{ breaks: { how: "hang" } }] }] },
      onCall: onCalled,
    });
    const answer = ask(model, "go").catch((error: Error) => error.message);
    const call = await called;
    await model.close();
    expect(await answer).toBe("fetch failed");
    expect(call.aborted).toBe(true);
  });
});

test("an answer and its pieces arrive no sooner than specified", async () => {
  const model = await start({
    script: { rules: [{ steps: [{ say: "abcd", pieceLength: 1, waitMs: 40, pieceMs: 20 }] }] },
  });
  await (await ask(model, "go")).text();
  const [call] = model.calls;
  // Timers may fire a millisecond early.
  expect((call?.endedAt ?? 0) - (call?.at ?? 0)).toBeGreaterThanOrEqual(95);
});

test("an error can have a custom body, like a proxy's error page", async () => {
  const error = { status: 502, message: "", body: "<html>Bad gateway</html>" };
  const model = await start({ script: { rules: [{ steps: [{ error }] }] } });
  const response = await ask(model, "go");
  expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
    502,
    "text/html",
    "<html>Bad gateway</html>",
  ]);
});

test("a `once` rule handles one turn, and another one when the script is set again", async () => {
  const script = { rules: [{ once: true, steps: [{ say: "first" }] }], otherwise: [{ say: "later" }] };
  const model = await start({ script });
  expect([await answerTo(model, "go"), await answerTo(model, "go")]).toEqual(["first", "later"]);
  model.setScript(script);
  expect([await answerTo(model, "go"), await answerTo(model, "go")]).toEqual(["first", "later"]);
});

test("an invalid script is refused, and the old one stays", async () => {
  const model = await start({ script: { otherwise: [{ say: "old" }] } });
  expect(() => model.setScript({ rules: [{ when: "/(/" }] })).toThrow("Invalid regular expression.");
  expect(await answerTo(model, "go")).toBe("old");
});

describe("a log in a file", () => {
  const logPath = join(directory, "below/calls.jsonl");
  const script = { rules: [{ once: true, steps: [{ say: "first" }] }], otherwise: [{ say: "later" }] };

  test("records a call before it is answered, and its end afterwards", async () => {
    const model = await start({ script, logPath, onCall: () => expect(readCalls(logPath)).toHaveLength(1) });
    await answerTo(model, "go");
    expect(readCalls(logPath)).toEqual(model.calls);
    expect(model.calls).toMatchObject([{ id: 0, prompt: "go", rule: 0, step: 0, endedAt: expect.any(Number) }]);
  });

  test("lets a restarted model know which rules were used", async () => {
    const before = await startScriptedModel({ script, logPath });
    await answerTo(before, "one");
    await before.close();
    const after = await start({ script, logPath });
    expect(await answerTo(after, "two")).toBe("later");
    expect(after.calls).toMatchObject([{ id: 1, prompt: "two" }]);
    expect(readCalls(logPath).map(({ prompt }) => prompt)).toEqual(["one", "two"]);
  });

  test("survives a line that a crash truncated", async () => {
    const before = await startScriptedModel({ script, logPath });
    await answerTo(before, "one");
    await before.close();
    appendFileSync(logPath, '{"type":"ca');
    const after = await start({ script, logPath });
    await answerTo(after, "two");
    expect(readCalls(logPath).map(({ prompt }) => prompt)).toEqual(["one", "two"]);
  });
});
