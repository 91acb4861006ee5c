/** Anthropic's messages API, as Claude Code uses it: an answer is a list of blocks, each opened and closed. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Answer } from "./choose-answer.ts";
import type { AnswerPiece, ModelApi } from "./model-api.ts";
import { splitAnswer, tokenUsage } from "./model-api.ts";
import type { ModelRequest, RequestMessage } from "./model-request.ts";
import { contentFiles, contentText, createModelRequest, sizeOf } from "./model-request.ts";

const bodySchema = z.object({
  model: z.string().default("scripted"),
  stream: z.boolean().nullish(),
  system: z.unknown().optional(),
  tools: z.array(z.object({ name: z.string() })).nullish(),
  messages: z.array(z.object({ role: z.enum(["system", "user", "assistant"]), content: z.unknown().optional() })),
});

export const anthropic: ModelApi = {
  read(body) {
    const { messages, system, ...rest } = bodySchema.parse(body);
    return createModelRequest([{ role: "system", text: contentText(system) }, ...messages.flatMap(commonMessages)], {
      api: "anthropic",
      model: rest.model,
      stream: rest.stream ?? false,
      wantsUsage: true,
      tools: rest.tools?.map(({ name }) => name) ?? [],
      files: messages.flatMap(({ content }) => contentFiles(content)),
      size: sizeOf([system ?? "", messages]),
    });
  },

  stream(request, answer, pieceLength) {
    const usage = tokenUsage(request, answer);
    const { pieces, end } = blocksOf(splitAnswer(answer, pieceLength));
    const closing = [
      end,
      frame("message_delta", {
        delta: { stop_reason: stopOf(answer), stop_sequence: null },
        usage: { output_tokens: usage.output },
      }),
      frame("message_stop", {}),
    ];
    const message = { ...headOf(request), content: [], stop_reason: null, stop_sequence: null };
    return {
      opening: frame("message_start", {
        message: { ...message, usage: { ...inputOf(usage), output_tokens: 1 } },
      }),
      pieces,
      closing: closing.join(""),
    };
  },

  whole(request, answer) {
    const usage = tokenUsage(request, answer);
    const content = [
      ...(answer.think ? [{ type: "thinking", thinking: answer.think, signature }] : []),
      ...(answer.say ? [{ type: "text", text: answer.say }] : []),
      ...answer.tools.map((call) => ({ type: "tool_use", ...call })),
    ];
    const end = { stop_reason: stopOf(answer), stop_sequence: null };
    return { ...headOf(request), content, ...end, usage: { ...inputOf(usage), output_tokens: usage.output } };
  },

  errorBody: ({ status, message, type }) => ({ type: "error", error: { type: type ?? errorType(status), message } }),

  errorFrame: (message) => frame("error", { error: { type: "api_error", message } }),
};

/** Anthropic counts tokens from the cache separately. */
function inputOf({ input, cached }: NonNullable<Answer["usage"]>) {
  return { input_tokens: input, ...(cached === undefined ? {} : { cache_read_input_tokens: cached }) };
}

const signature = "c2NyaXB0ZWQ=";

/**
 * A user message can hold tool results, the program's notes, and after an interruption the user's next text: only that
 * text is a prompt.
 */
function commonMessages({ role, content }: z.output<typeof bodySchema>["messages"][number]): RequestMessage[] {
  const blocks: Block[] = Array.isArray(content) ? content : [{ type: "text", text: content }];
  const callIds = blocks.flatMap((block) => (block.type === "tool_use" ? [String(block.id)] : []));
  if (role !== "user") return [{ role, text: contentText(content), callIds }];
  const results = blocks.filter((block) => block.type === "tool_result");
  const tool: RequestMessage = { role: "tool", text: results.map((block) => contentText(block.content)).join("\n") };
  const prompt = contentText(blocks.slice(blocks.findLastIndex(isInterruption) + 1).filter((block) => !isNote(block)));
  if (prompt.trim() !== "") return [...(results.length > 0 ? [tool] : []), { role, text: prompt }];
  return results.length > 0 || blocks.some(isContinuation) ? [tool] : [{ role, text: contentText(content) }];
}

type Block = Record<string, unknown>;

/** Text that Claude Code itself adds to a user message. */
function isNote(block: Block): boolean {
  const note =
    /^(<(system-reminder|local-command-\w+|command-name)>|\[Image: source: |This session is being continued from)/;
  return note.test(String(block.text ?? "").trim()) || isContinuation(block);
}

/** Claude Code tells a model that was cut off or returned no text to continue the turn. */
function isContinuation(block: Block): boolean {
  return /^(Output token limit hit\.|\[Your previous response had no visible output)/.test(String(block.text ?? ""));
}

/** The text before an interruption was abandoned; the text after it in the same message is new. */
function isInterruption(block: Block): boolean {
  return /^\[Request interrupted by user/.test(String(block.text ?? ""));
}

/** Each piece with the frames before it: the stop of the previous block, and the start of its own. */
function blocksOf(pieces: readonly AnswerPiece[]): { pieces: string[]; end: string } {
  let open = -1;
  let last = "";
  const frames = pieces.map((piece) => {
    const block = piece.kind === "tool" ? piece.id : piece.kind;
    if (block === last) return frame("content_block_delta", { index: open, delta: deltaOf(piece) });
    const before = blockStop(open, last);
    last = block;
    open += 1;
    const start = frame("content_block_start", { index: open, content_block: startOf(piece) });
    return `${before}${start}${frame("content_block_delta", { index: open, delta: deltaOf(piece) })}`;
  });
  return { pieces: frames, end: blockStop(open, last) };
}

function startOf(piece: AnswerPiece): unknown {
  if (piece.kind === "think") return { type: "thinking", thinking: "", signature: "" };
  if (piece.kind === "say") return { type: "text", text: "" };
  return { type: "tool_use", id: piece.id, name: piece.name, input: {} };
}

function deltaOf({ kind, text }: AnswerPiece): unknown {
  if (kind === "think") return { type: "thinking_delta", thinking: text };
  return kind === "say" ? { type: "text_delta", text } : { type: "input_json_delta", partial_json: text };
}

function blockStop(index: number, block: string): string {
  if (index === -1) return "";
  const signed =
    block === "think" ? frame("content_block_delta", { index, delta: { type: "signature_delta", signature } }) : "";
  return `${signed}${frame("content_block_stop", { index })}`;
}

/** The id is unique: Claude Code treats entries with the same id as parts of one message. */
function headOf({ model }: ModelRequest) {
  return { id: `msg_${randomUUID().replaceAll("-", "")}`, type: "message", role: "assistant", model };
}

function stopOf({ finish, tools }: Answer): string {
  if (finish === "length") return "max_tokens";
  return tools.length > 0 && finish === undefined ? "tool_use" : "end_turn";
}

function errorType(status: number): string {
  const types: Record<number, string> = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
  };
  return types[status] ?? "api_error";
}

function frame(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}
