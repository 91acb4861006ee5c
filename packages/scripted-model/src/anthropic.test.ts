import { createParser } from "eventsource-parser";
import { afterEach, describe, expect, test } from "vitest";
import type { ModelScriptInput } from "./script.ts";
import type { ScriptedModel } from "./server.ts";
import { startScriptedModel } from "./server.ts";

let model: ScriptedModel;
afterEach(() => model.close());

type Event = { type: string; index?: number; [key: string]: unknown };

const tools = [{ name: "Bash", input_schema: {} }];
const user = (content: unknown) => ({ role: "user", content });

async function start(script: ModelScriptInput): Promise<void> {
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
  return (await (await ask(messages, { stream: false })).json()) as { id: string; content: { id?: string }[] };
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

test("reasoning, text and tools are blocks, each opened and closed in order", async () => {
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

test("reasoning without text is also signed", async () => {
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

test("tool results have the user role and are not treated as a prompt", async () => {
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

test("the agent program's notes next to the user's text are not part of that text", async () => {
  await start({ otherwise: [{ say: "You said {{text}}" }] });
  const note = { type: "text", text: "<system-reminder>Today is\nFriday.</system-reminder>" };
  const answer = await whole([user([note, { type: "text", text: "hello" }])]);
  expect(answer.content).toEqual([{ type: "text", text: "You said hello" }]);
});

describe("Claude Code's messages with the user role", () => {
  const text = (words: string) => ({ type: "text", text: words });
  const result = { type: "tool_result", tool_use_id: "call_9_9_x", content: "README", is_error: true };
  const answers = { otherwise: [{ say: "You said {{text}}" }] };

  test.each([
    ["words after an interrupted tool", [result, text("[Request interrupted by user for tool use]\n"), text("hello")]],
    ["words after an abandoned prompt", [text("wait\n"), text("[Request interrupted by user]\n"), text("hello")]],
    ["words next to a picture", [{ type: "image", source: {} }, text("hello\n"), text("[Image: source: /tmp/1.png]")]],
    ["words after a summary", [text("This session is being continued from a previous one."), text("hello")]],
    ["words after a command", [text("<local-command-stdout>Set model</local-command-stdout>\n"), text("hello")]],
  ])("%s are the prompt", async (_what, content) => {
    await start(answers);
    expect((await whole([user(content)])).content).toEqual([text("You said hello")]);
  });

  test.each([
    "Output token limit hit. Resume directly.",
    "[Your previous response had no visible output. Please continue.]",
  ])("'%s' continues the turn with its next step", async (note) => {
    await start({ rules: [{ when: "go", steps: [{ say: "Half" }, { say: "and half." }] }] });
    const rows = [user("go"), { role: "assistant", content: [text("Half")] }, user([text(note)])];
    expect((await whole(rows)).content).toEqual([text("and half.")]);
  });

  test("a request for a summary is not a turn, although it offers tools", async () => {
    await start({ small: [{ when: "TEXT ONLY", step: { say: "Summed up." } }] });
    const rows = [user([text("go\n"), text("CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.")])];
    expect((await whole(rows)).content).toEqual([text("Summed up.")]);
    expect(model.calls).toMatchObject([{ kind: "other" }]);
  });

  test("text that arrives during a turn does not change the turn", async () => {
    await start({ rules: [{ when: "go", steps: [{ tools: [{ tool: "Bash" }] }, { say: "Done." }] }] });
    const { content } = await whole([user("go")]);
    const results = user([{ ...result, tool_use_id: content[0]?.id }]);
    const aside = { role: "system", content: [text("The user sent a new message while you were working:\nstop")] };
    const next = await whole([user("go"), { role: "assistant", content }, results, aside]);
    expect(next.content).toEqual([text("Done.")]);
  });
});

test("every answer has a unique id", async () => {
  await start({});
  const ids = [await whole([user("one")]), await whole([user("two")])].map(({ id }) => id);
  expect(new Set(ids).size).toBe(2);
});

test("usage includes cached tokens if the step names them", async () => {
  await start({ rules: [{ steps: [{ say: "Hi.", usage: { input: 10, output: 4, cached: 7 } }] }] });
  const usage = { input_tokens: 10, cache_read_input_tokens: 7 };
  expect((await eventsOf(await ask([user("go")])))[0]).toMatchObject({ message: { usage } });
  expect(await whole([user("go")])).toMatchObject({ usage: { ...usage, output_tokens: 4 } });
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

test("a mid-stream error is an event", async () => {
  await start({ rules: [{ steps: [{ say: "Some words that are cut.", breaks: { how: "error", afterPieces: 1 } }] }] });
  const events = await eventsOf(await ask([user("go")]));
  expect(events.at(-1)).toMatchObject({ type: "error", error: { type: "api_error" } });
});

test("counting tokens is not a call of the model", async () => {
  await start({});
  const counted = await ask([user("hello")], {}, "/v1/messages/count_tokens");
  expect(await counted.json()).toEqual({ input_tokens: expect.any(Number) });
  expect(model.calls).toEqual([]);
});
