import { createParser } from "eventsource-parser";
import { afterEach, expect, test } from "vitest";
import type { ScriptInput } from "./script.ts";
import type { ScriptedModel } from "./server.ts";
import { startScriptedModel } from "./server.ts";

let model: ScriptedModel;
afterEach(() => model.close());

type Event = { type: string; index?: number; [key: string]: unknown };

const tools = [{ name: "Bash", input_schema: {} }];
const user = (content: unknown) => ({ role: "user", content });

async function start(script: ScriptInput): Promise<void> {
  model = await startScriptedModel({ script });
}

function ask(
  messages: unknown[],
  more: Record<string, unknown> = {},
  path = "/v1/messages?beta=true",
): Promise<Response> {
  return fetch(`${model.url}${path}`, {
    method: "POST",
    body: JSON.stringify({ model: "claude", max_tokens: 100, stream: true, tools, messages, ...more }),
  });
}

async function whole(messages: unknown[]) {
  return (await (await ask(messages, { stream: false })).json()) as { content: { id?: string }[] };
}

async function eventsOf(response: Response): Promise<Event[]> {
  const events: Event[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const parsed = JSON.parse(data) as Event;
      expect(event).toBe(parsed.type);
      events.push(parsed);
    },
  });
  parser.feed(await response.text());
  return events;
}

test("thoughts, text and tools are blocks, each opened and closed in order", async () => {
  const input = { command: "echo hello from the shell" };
  await start({
    rules: [
      {
        steps: [
          {
            think: "Hm.",
            say: "On it.",
            tools: [
              { tool: "Bash", input },
              { tool: "Bash", input },
            ],
          },
        ],
      },
    ],
  });

  const events = await eventsOf(await ask([user("go")]));

  const shape = events.map(({ type, index }) => (index === undefined ? type : `${type} ${index}`));
  expect(shape.filter((line, at) => line !== shape[at - 1])).toEqual([
    "message_start",
    ...[0, 1, 2, 3].flatMap((n) => [`content_block_start ${n}`, `content_block_delta ${n}`, `content_block_stop ${n}`]),
    "message_delta",
    "message_stop",
  ]);
  const starts = events.filter(({ type }) => type === "content_block_start").map((event) => event.content_block);
  expect(starts).toMatchObject([
    { type: "thinking" },
    { type: "text" },
    { type: "tool_use", name: "Bash", input: {} },
    { type: "tool_use", name: "Bash", input: {} },
  ]);
  const deltas = (n: number) => events.flatMap(({ index, delta }) => (index === n && delta ? [delta] : []));
  expect(deltas(0)).toEqual([
    { type: "thinking_delta", thinking: "Hm." },
    { type: "signature_delta", signature: expect.any(String) },
  ]);
  expect(deltas(1)).toEqual([{ type: "text_delta", text: "On it." }]);
  const json = (deltas(2) as { type: string; partial_json: string }[]).map((delta) => delta.partial_json);
  expect(json.length).toBeGreaterThan(1);
  expect(JSON.parse(json.join(""))).toEqual(input);
  expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "tool_use" } });
});

test("thoughts alone are signed as well", async () => {
  await start({ rules: [{ steps: [{ think: "Hm." }] }] });
  const events = await eventsOf(await ask([user("go")]));
  expect(events.map(({ type }) => type).slice(-4)).toEqual([
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ]);
  expect(events.at(-4)).toMatchObject({ delta: { type: "signature_delta" } });
});

test("an empty step is a message without blocks", async () => {
  await start({ rules: [{ steps: [{}] }] });
  const events = await eventsOf(await ask([user("go")]));
  expect(events.map(({ type }) => type)).toEqual(["message_start", "message_delta", "message_stop"]);
  expect(events[1]).toMatchObject({ delta: { stop_reason: "end_turn" } });
});

test("results of tools come in the user's name and are not taken for a prompt", async () => {
  await start({ rules: [{ when: "go", steps: [{ tools: [{ tool: "Bash" }] }, { say: "It says {{result}}." }] }] });

  const first = await whole([user("go")]);
  expect(first).toMatchObject({ type: "message", role: "assistant", stop_reason: "tool_use" });
  const result = {
    type: "tool_result",
    tool_use_id: first.content[0]?.id,
    content: [{ type: "text", text: "README" }],
  };
  const note = { type: "text", text: "<system-reminder>Be brief.</system-reminder>" };
  const rows = [user("go"), { role: "assistant", content: first.content }, user([result, note])];
  const second = await whole(rows);

  expect(second).toMatchObject({ content: [{ type: "text", text: "It says README." }], stop_reason: "end_turn" });
  expect(model.calls).toMatchObject([
    { api: "anthropic", prompt: "go", rule: 0, step: 0 },
    { api: "anthropic", prompt: "go", rule: 0, step: 1 },
  ]);
});

test("notes of the agent program beside the user's text are not the user's text", async () => {
  await start({ otherwise: [{ say: "You said {{text}}" }] });
  const note = { type: "text", text: "<system-reminder>Today is\nFriday.</system-reminder>" };
  const answer = await whole([user([note, { type: "text", text: "hello" }])]);
  expect(answer.content).toEqual([{ type: "text", text: "You said hello" }]);
});

test.each([
  ["insufficient_balance", 402, "billing_error"],
  ["invalid_api_key", 401, "authentication_error"],
  ["rate_limit", 429, "rate_limit_error"],
  ["context_length", 400, "invalid_request_error"],
  ["overloaded", 529, "overloaded_error"],
  ["unavailable", 503, "api_error"],
] as const)("%s is answered as Anthropic does", async (error, status, type) => {
  await start({ rules: [{ steps: [{ error }] }] });
  const response = await ask([user("go")]);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ type: "error", error: { type } });
});

test("an error in mid-stream is an event", async () => {
  await start({ rules: [{ steps: [{ say: "Some words that are cut.", breaks: { how: "error", afterPieces: 1 } }] }] });
  const events = await eventsOf(await ask([user("go")]));
  expect(events.at(-1)).toMatchObject({ type: "error", error: { type: "api_error" } });
});

test("tokens are counted without a call of the model", async () => {
  await start({});
  const counted = await ask([user("hello")], {}, "/v1/messages/count_tokens");
  expect(await counted.json()).toEqual({ input_tokens: expect.any(Number) });
  expect(model.calls).toEqual([]);
});
