/** OpenAI's chat completions, as the AI SDK's `openai-compatible` provider reads them. */
import { z } from "zod";
import type { Asked } from "./asked.ts";
import { askedFrom, textOf } from "./asked.ts";
import type { Answer } from "./pick.ts";
import type { Api, Piece } from "./wire.ts";
import { piecesOf, usageOf } from "./wire.ts";

const request = z.object({
  model: z.string().default("scripted"),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).nullish(),
  messages: z.array(
    z.object({
      role: z.enum(["system", "developer", "user", "assistant", "tool"]),
      content: z.unknown().optional(),
      tool_calls: z.array(z.object({ id: z.string() })).nullish(),
    }),
  ),
});

export const openai: Api = {
  read(body) {
    const { messages, ...rest } = request.parse(body);
    const rows = messages.map(({ role, content, tool_calls }) => ({
      role: role === "developer" ? "system" : role,
      text: textOf(content),
      callIds: tool_calls?.map(({ id }) => id) ?? [],
    }));
    return askedFrom(rows, {
      api: "openai",
      model: rest.model,
      stream: rest.stream ?? false,
      wantsUsage: rest.stream_options?.include_usage ?? false,
      tools: rest.tools?.map((tool) => tool.function.name) ?? [],
      size: JSON.stringify(messages).length,
    });
  },

  stream(asked, answer, pieceLength) {
    const head = { ...headOf(asked), object: "chat.completion.chunk" };
    const chunk = (delta: unknown, finish: string | null = null) =>
      frame({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] });
    const usage = asked.wantsUsage ? frame({ ...head, choices: [], usage: usageBody(asked, answer) }) : "";
    return {
      opening: chunk({ role: "assistant", content: "" }),
      pieces: piecesOf(answer, pieceLength).map((piece) => chunk(deltaOf(piece))),
      closing: `${chunk({}, finishOf(answer))}${usage}data: [DONE]\n\n`,
    };
  },

  whole(asked, answer) {
    const calls = answer.tools.map(({ id, name, input }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    }));
    const message = {
      role: "assistant",
      content: answer.say ?? (calls.length > 0 ? null : ""),
      ...(answer.think === undefined ? {} : { reasoning_content: answer.think }),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    };
    return {
      ...headOf(asked),
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: finishOf(answer) }],
      usage: usageBody(asked, answer),
    };
  },

  errorBody: ({ message, type = "invalid_request_error", code = null }) => ({
    error: { message, type, param: null, code },
  }),

  errorFrame: (message) => frame({ error: { message, type: "server_error", param: null, code: null } }),
};

function deltaOf(piece: Piece): unknown {
  if (piece.kind === "think") return { reasoning_content: piece.text };
  if (piece.kind === "say") return { content: piece.text };
  const { index, id, name, text, first } = piece;
  // The name comes with the first piece only, as from the real ones.
  return {
    tool_calls: [
      first
        ? { index, id, type: "function", function: { name, arguments: text } }
        : { index, function: { arguments: text } },
    ],
  };
}

function headOf({ model }: Asked) {
  return { id: "chatcmpl-scripted", created: Math.floor(Date.now() / 1000), model };
}

function usageBody(asked: Asked, answer: Answer) {
  const { input, output } = usageOf(asked, answer);
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

function finishOf({ finish, tools }: Answer): string {
  return finish ?? (tools.length > 0 ? "tool_calls" : "stop");
}

function frame(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
