import { afterEach, expect, test } from "vitest";
import type { ScriptInput } from "./script.ts";
import type { ScriptedModel } from "./server.ts";
import { startScriptedModel } from "./server.ts";

let model: ScriptedModel;
afterEach(() => model.close());

type Chunk = {
  choices: { delta: Record<string, unknown>; finish_reason: string | null }[];
  usage?: { total_tokens: number };
  error?: { message: string };
};

const tools = ["bash", "team_message_send"].map((name) => ({ type: "function", function: { name } }));
const user = (content: unknown) => ({ role: "user", content });

function ask(messages: unknown[], more: Record<string, unknown> = {}): Promise<Response> {
  return fetch(`${model.url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "scripted", stream: true, tools, messages, ...more }),
  });
}

async function chunks(response: Response): Promise<Chunk[]> {
  const frames = (await response.text()).split("\n\n").filter((frame) => frame !== "");
  expect(frames.at(-1)).toBe("data: [DONE]");
  return frames.slice(0, -1).map((frame) => JSON.parse(frame.slice("data: ".length)) as Chunk);
}

const joined = (list: readonly Chunk[], field: string) =>
  list.map((chunk) => chunk.choices[0]?.delta[field] ?? "").join("");
const finish = (list: readonly Chunk[]) => list.flatMap((chunk) => chunk.choices[0]?.finish_reason ?? []);

async function start(script: ScriptInput): Promise<void> {
  model = await startScriptedModel({ script });
}

test("a text comes in pieces, after what was thought, and the usage only when it is asked for", async () => {
  await start({ rules: [{ steps: [{ think: "Let me see.", say: "You said {{text}} 👍", pieceLength: 4 }] }] });

  const list = await chunks(await ask([user([{ type: "text", text: "hello" }])]));
  expect(joined(list, "reasoning_content")).toBe("Let me see.");
  expect(joined(list, "content")).toBe("You said hello 👍");
  expect(finish(list)).toEqual(["stop"]);
  expect(list.filter((chunk) => chunk.choices[0]?.delta.content).length).toBe(4);
  expect(list.some((chunk) => chunk.usage)).toBe(false);

  const counted = await chunks(await ask([user("hello")], { stream_options: { include_usage: true } }));
  expect(counted.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
});
