/** OpenAI's chat completions, as the AI SDK's `openai-compatible` provider reads them. */
import { z } from "zod";
import type { Answer } from "./choose-answer.ts";
import type { AnswerPiece, ModelApi } from "./model-api.ts";
import { splitAnswer, tokenUsage } from "./model-api.ts";
import type { ModelRequest } from "./model-request.ts";
import { contentFiles, contentText, createModelRequest, sizeOf } from "./model-request.ts";

const bodySchema = z.object({
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

export const openai: ModelApi = {
  read(body) {
    const { messages, ...rest } = bodySchema.parse(body);
    const common = messages.map(({ role, content, tool_calls }) => ({
      role: role === "developer" ? "system" : role,
      text: contentText(content),
      callIds: tool_calls?.map(({ id }) => id) ?? [],
    }));
    return createModelRequest(common, {
      api: "openai",
      model: rest.model,
      stream: rest.stream ?? false,
      wantsUsage: rest.stream_options?.include_usage ?? false,
      tools: rest.tools?.map((tool) => tool.function.name) ?? [],
      files: messages.flatMap(({ content }) => contentFiles(content)),
      size: sizeOf(messages),
    });
  },

  stream(request, answer, pieceLength) {
    const head = { ...headOf(request), object: "chat.completion.chunk" };
    const chunk = (delta: unknown, finish: string | null = null) =>
      frame({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] });
    const usage = request.wantsUsage ? frame({ ...head, choices: [], usage: usageBody(request, answer) }) : "";
    return {
      opening: chunk({ role: "assistant", content: "" }),
      pieces: splitAnswer(answer, pieceLength).map((piece) => chunk(deltaOf(piece))),
      closing: `${chunk({}, finishOf(answer))}${usage}data: [DONE]\n\n`,
    };
  },

  whole(request, answer) {
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
      ...headOf(request),
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: finishOf(answer) }],
      usage: usageBody(request, answer),
    };
  },

  errorBody: ({ message, type = "invalid_request_error", code = null }) => ({
    error: { message, type, param: null, code },
  }),

  errorFrame: (message) => frame({ error: { message, type: "server_error", param: null, code: null } }),
};

function deltaOf(piece: AnswerPiece): unknown {
  if (piece.kind === "think") return { reasoning_content: piece.text };
  if (piece.kind === "say") return { content: piece.text };
  const { index, id, name, text, first } = piece;
  // Only the first piece has the name, as with real providers.
  return {
    tool_calls: [
      first
        ? { index, id, type: "function", function: { name, arguments: text } }
        : { index, function: { arguments: text } },
    ],
  };
}

function headOf({ model }: ModelRequest) {
  return { id: "chatcmpl-scripted", created: Math.floor(Date.now() / 1000), model };
}

function usageBody(request: ModelRequest, answer: Answer) {
  const { input, output } = tokenUsage(request, answer);
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

function finishOf({ finish, tools }: Answer): string {
  return finish ?? (tools.length > 0 ? "tool_calls" : "stop");
}

function frame(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
