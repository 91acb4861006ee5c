import { afterEach, expect, test } from "vitest";
import type { ModelScriptInput } from "./script.ts";
import type { ScriptedModel } from "./server.ts";
import { startScriptedModel } from "./server.ts";

let model: ScriptedModel;
afterEach(() => model.close());

type ToolCall = { index: number; id?: string; function: { name?: string; arguments: string } };
type Chunk = {
  choices: {
    delta: { content?: string; reasoning_content?: string; tool_calls?: ToolCall[] };
    finish_reason: string | null;
  }[];
  usage?: Record<string, number>;
};

type Whole = {
  choices: [{ message: { content: string | null; tool_calls?: { id: string }[] }; finish_reason: string }];
};

const tools = ["bash", "team_message_send"].map((name) => ({ type: "function", function: { name } }));
const user = (content: unknown) => ({ role: "user", content });

async function start(script: ModelScriptInput): Promise<void> {
  model = await startScriptedModel({ script });
}

function ask(messages: unknown[], more: Record<string, unknown> = {}): Promise<Response> {
  return fetch(`${model.url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "scripted", stream: true, tools, messages, ...more }),
  });
}

async function whole(messages: unknown[], more: Record<string, unknown> = {}) {
  const body = (await (await ask(messages, { stream: false, ...more })).json()) as Whole;
  return body.choices[0];
}

async function chunksOf(response: Response): Promise<Chunk[]> {
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const frames = (await response.text()).split("\n\n").filter((frame) => frame !== "");
  expect(frames.at(-1)).toBe("data: [DONE]");
  return frames.slice(0, -1).map((frame) => JSON.parse(frame.slice("data: ".length)) as Chunk);
}

const joined = (chunks: readonly Chunk[], field: "content" | "reasoning_content") =>
  chunks.map((chunk) => chunk.choices[0]?.delta[field] ?? "").join("");
const finishes = (chunks: readonly Chunk[]) => chunks.flatMap((chunk) => chunk.choices[0]?.finish_reason ?? []);

test("text is streamed in pieces after the reasoning, without splitting a character", async () => {
  await start({ rules: [{ steps: [{ think: "Let me see.", say: "You said {{text}} 👍👍", pieceLength: 5 }] }] });

  const chunks = await chunksOf(await ask([user([{ type: "text", text: "hello" }])]));

  expect(joined(chunks, "reasoning_content")).toBe("Let me see.");
  expect(chunks.flatMap((chunk) => chunk.choices[0]?.delta.content || [])).toEqual(["You s", "aid h", "ello ", "👍👍"]);
  expect(finishes(chunks)).toEqual(["stop"]);
});

test("the usage of a stream is sent only on request", async () => {
  await start({ otherwise: [{ say: "Hi.", usage: { input: 10, output: 5 } }] });

  const withUsage = await chunksOf(await ask([user("hello")], { stream_options: { include_usage: true } }));
  expect(withUsage.at(-1)).toMatchObject({
    choices: [],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  });
  const untold = await chunksOf(await ask([user("hello")]));
  expect(untold.some((chunk) => chunk.usage)).toBe(false);
});

test("several tools are called together, with their input in pieces", async () => {
  const input = { command: "echo a rather long text for the shell" };
  await start({ rules: [{ steps: [{ tools: [{ tool: "bash", input }, { tool: "message_send" }] }] }] });

  const chunks = await chunksOf(await ask([user("go")]));

  const calls = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
  const names = calls.flatMap((call) => call.function.name ?? []);
  const inputs = [0, 1].map((index) =>
    JSON.parse(calls.flatMap((call) => (call.index === index ? [call.function.arguments] : [])).join("")),
  );
  expect(names).toEqual(["bash", "team_message_send"]);
  expect(inputs).toEqual([input, {}]);
  expect(calls.length).toBeGreaterThan(2);
  expect(new Set(calls.flatMap((call) => call.id ?? [])).size).toBe(2);
  expect(finishes(chunks)).toEqual(["tool_calls"]);
});

test("the call with the tool results gets the next step", async () => {
  const tool = { tool: "bash", input: { command: "ls" } };
  await start({ rules: [{ when: "go", steps: [{ tools: [tool] }, { say: "It says {{result}}." }] }] });

  const { message, finish_reason } = await whole([user("go")]);
  expect(finish_reason).toBe("tool_calls");
  expect(message).toMatchObject({ content: null, tool_calls: [{ function: { arguments: '{"command":"ls"}' } }] });

  const result = { role: "tool", tool_call_id: message.tool_calls?.[0]?.id, content: "README" };
  const second = await whole([user("go"), message, result]);
  expect(second).toMatchObject({ finish_reason: "stop", message: { content: "It says README." } });
  expect(model.calls.map(({ rule, step }) => [rule, step])).toEqual([
    [0, 0],
    [0, 1],
  ]);
});

test("an empty step ends the turn without text", async () => {
  await start({ rules: [{ steps: [{}] }] });

  const chunks = await chunksOf(await ask([user("hello")]));

  expect(joined(chunks, "content")).toBe("");
  expect(finishes(chunks)).toEqual(["stop"]);
});

test("a request for a title uses up no rule", async () => {
  await start({ rules: [{ once: true, steps: [{ say: "The answer." }] }], title: { say: "A title" } });
  const system = { role: "system", content: "You are a title generator." };

  const title = await whole([system, user("hello")], { tools: undefined });
  const answer = await whole([user("hello")]);

  expect(title.message.content).toBe("A title");
  expect(answer.message.content).toBe("The answer.");
  expect(model.calls).toMatchObject([
    { kind: "title", prompt: "hello", rule: null, tools: [] },
    { kind: "turn", prompt: "hello", rule: 0, tools: ["bash", "team_message_send"] },
  ]);
});

test("an error has the format of real providers", async () => {
  await start({
    rules: [{ when: "broke", steps: [{ error: "insufficient_balance" }] }, { steps: [{ error: "rate_limit" }] }],
  });

  const broke = await ask([user("broke")]);
  expect(broke.status).toBe(402);
  expect(await broke.json()).toMatchObject({
    error: { message: "Insufficient balance", code: "insufficient_balance" },
  });

  const limited = await ask([user("go")]);
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "1"]);
});

test("a mid-stream error follows the pieces before it, and ends the stream", async () => {
  await start({
    rules: [
      { steps: [{ say: "abcdef", pieceLength: 2, breaks: { how: "error", afterPieces: 2, message: "Sorry." } }] },
    ],
  });

  const frames = (await (await ask([user("go")])).text()).split("\n\n").filter((frame) => frame !== "");

  expect(frames.length).toBe(4);
  expect(JSON.parse(frames.at(-1)?.slice("data: ".length) ?? "")).toMatchObject({ error: { message: "Sorry." } });
});

test("lists its models", async () => {
  await start({});
  const models = await (await fetch(`${model.url}/v1/models`)).json();
  expect(models).toMatchObject({ data: [{ id: "scripted", object: "model" }] });
});

test("an invalid request is refused with the reason", async () => {
  await start({});
  const refused = await ask([], { messages: "hello" });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining("messages") } });
  expect(model.calls).toEqual([]);
});
