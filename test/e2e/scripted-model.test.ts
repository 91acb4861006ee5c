import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ModelCall, ModelScriptInput, ScriptedModel } from "@waybill/scripted-model";
import { startScriptedModel } from "@waybill/scripted-model";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { isGone } from "../support/daemon/daemon-process.ts";
import type { OpencodeServer } from "../support/opencode/opencode-server.ts";
import { startOpencode } from "../support/opencode/opencode-server.ts";
import { OpencodeSession } from "../support/opencode/opencode-session.ts";

describe("the real OpenCode uses it as a model", () => {
  type Part = { type: string; text?: string; tool?: string; state?: { status: string; output?: string } };
  type Info = { role: string; parentID?: string; finish?: string; error?: { name: string; data: object } };
  type Row = { info: Info & { id: string }; parts: Part[] };

  let model: ScriptedModel;
  let opencode: OpencodeServer;
  let onCall: (call: ModelCall) => void = () => {};
  let session: string;

  beforeAll(async () => {
    model = await startScriptedModel({ script: {}, onCall: (call) => onCall(call) });
    opencode = await startOpencode({ modelUrl: model.url });
  });
  afterAll(async () => {
    await opencode?.stop();
    await model?.close();
    expect(isGone(opencode.pid)).toBe(true);
  });
  beforeEach(async () => {
    onCall = () => {};
    session = (await opencode.call<{ id: string }>("POST", "/session", {})).id;
  });

  /** Settles when the turn has ended. */
  const prompt = (text: string) =>
    opencode.call<Row>("POST", `/session/${session}/message`, { parts: [{ type: "text", text }] });
  const follow = (steps: NonNullable<ModelScriptInput["rules"]>[number]["steps"]) =>
    model.setScript({ rules: [{ steps }] });
  const answers = async () =>
    (await opencode.call<Row[]>("GET", `/session/${session}/message`)).filter(({ info }) => info.role === "assistant");
  const kept = (rows: Row[], type: string) => rows.flatMap(({ parts }) => parts.filter((part) => part.type === type));
  const calls = (text: string) => model.calls.filter((call) => call.prompt.includes(text));

  test("a text arrives whole, with its reasoning, and the title is requested separately", async () => {
    follow([{ think: "Let me think about this.", say: "You said: {{text}}. That is all there is to it." }]);
    await prompt("first words");

    const rows = await answers();
    expect(rows).toMatchObject([{ info: { finish: "stop", tokens: { output: expect.any(Number) } } }]);
    expect(kept(rows, "reasoning")).toMatchObject([{ text: "Let me think about this." }]);
    expect(kept(rows, "text")).toMatchObject([{ text: "You said: first words. That is all there is to it." }]);
    await expect
      .poll(() =>
        calls("first words")
          .map(({ kind }) => kind)
          .sort(),
      )
      .toEqual(["title", "turn"]);
    await expect
      .poll(async () => (await opencode.call<{ title: string }>("GET", `/session/${session}`)).title)
      .toBe("Scripted conversation");
  });

  test("tools run, and their results reach the next step", async () => {
    follow([
      { say: "I look.", tools: [{ tool: "bash", input: { command: "echo $((6 * 7))", description: "counts" } }] },
      {
        tools: [{ tool: "write", input: { filePath: join(opencode.directory, "answer.txt"), content: "{{result}}" } }],
      },
      { say: "Written." },
    ]);
    await prompt("count");

    const rows = await answers();
    expect(rows.map(({ info }) => info.finish)).toEqual(["tool-calls", "tool-calls", "stop"]);
    expect(kept(rows, "tool")).toMatchObject([
      { tool: "bash", state: { status: "completed", output: expect.stringContaining("42") } },
      { tool: "write", state: { status: "completed" } },
    ]);
    expect(kept(rows, "text")).toMatchObject([{ text: "I look." }, { text: "Written." }]);
    expect(readFileSync(join(opencode.directory, "answer.txt"), "utf8")).toContain("42");
    expect(calls("count").flatMap(({ kind, step }) => (kind === "turn" ? [step] : []))).toEqual([0, 1, 2]);
  });

  test("an empty turn is stored without text", async () => {
    follow([{}]);
    await prompt("nothing");

    const rows = await answers();
    expect(rows).toMatchObject([{ info: { finish: "stop" } }]);
    expect(kept(rows, "text")).toEqual([]);
  });

  test("a provider's error is stored as such, and not retried", async () => {
    follow([{ error: "insufficient_balance" }]);
    await prompt("broke");

    const data = { statusCode: 402, message: "Insufficient balance", isRetryable: false };
    expect(await answers()).toMatchObject([{ info: { error: { name: "APIError", data } } }]);
    expect(calls("broke").filter(({ kind }) => kind === "turn")).toHaveLength(1);
  });

  test("OpenCode itself retries after a temporary rate limit", async () => {
    follow([{ error: "rate_limit", once: true }, { say: "There you are." }]);
    await prompt("hurry");

    const rows = await answers();
    expect(rows).toHaveLength(1);
    expect(kept(rows, "text")).toMatchObject([{ text: "There you are." }]);
  });

  test("an abort ends a hanging call, and earlier text is kept", async () => {
    follow([{ say: "One two three four five six.", pieceLength: 8, breaks: { how: "hang", afterPieces: 2 } }]);
    const hanging = new Promise<ModelCall>((resolve) => {
      onCall = (call) => call.kind === "turn" && resolve(call);
    });
    const stream = await new OpencodeSession(opencode, opencode.directory).open(session);
    onTestFinished(() => stream.close());
    const turn = prompt("wait");
    const call = await hanging;
    await stream.hears(({ type, properties }) => type === "message.part.delta" && /fo$/.test(String(properties.delta)));
    expect(await opencode.call("POST", `/session/${session}/abort`)).toBe(true);
    await turn;

    await expect.poll(() => call.aborted).toBe(true);
    const rows = await answers();
    expect(rows).toMatchObject([{ info: { error: { name: "MessageAbortedError" } } }]);
    expect(kept(rows, "text")).toMatchObject([{ text: "One two three fo" }]);
  });

  test("a summary request is recognised, and gets the script's answer for it", async () => {
    model.setScript({
      rules: [{ steps: [{ say: "A long story." }] }],
      small: [{ when: "/summar/i", step: { say: "In short: a story." } }],
    });
    await prompt("tell me");
    // The title is requested beside the turn, and might come last.
    await expect.poll(() => calls("tell me")).toHaveLength(2);
    await opencode.call("POST", `/session/${session}/summarize`, { providerID: "scripted", modelID: "scripted" });

    const summaries = (await answers()).filter(({ info }) => "summary" in info && info.summary === true);
    expect(kept(summaries, "text")).toMatchObject([{ text: "In short: a story." }]);
    expect(model.calls.at(-1)?.kind).toBe("other");
  });
});

describe("as a separate process", () => {
  const main = fileURLToPath(new URL("../../dist/scripted-model.js", import.meta.url));

  test("it prints its address, answers, and exits on request", async () => {
    const script = JSON.stringify({ otherwise: [{ say: "Hello from elsewhere." }] });
    const child = spawn(process.execPath, [main], { env: { SCRIPTED_MODEL_SCRIPT: script } });
    const ended = once(child, "close");
    const [line] = await once(createInterface(child.stdout), "line");
    const { url } = JSON.parse(line) as { url: string };
    const body = { tools: [{ function: { name: "bash" } }], messages: [{ role: "user", content: "hi" }] };
    const answer = await fetch(`${url}/v1/chat/completions`, { method: "POST", body: JSON.stringify(body) });
    expect(await answer.text()).toContain("Hello from elsewhere.");
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });

  test("it refuses an invalid script with a clear error", async () => {
    const child = spawn(process.execPath, [main], { env: { SCRIPTED_MODEL_SCRIPT: '{"rulez": []}' } });
    let errors = "";
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    expect(await once(child, "close")).toEqual([2, null]);
    expect(errors).toContain('The scripted model cannot start: Unrecognized key: "rulez"');
  });
});
