/** Anthropic's messages, as Claude Code reads them: an answer is a row of blocks, each opened and closed. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Asked, Row } from "./asked.ts";
import { askedFrom, textOf } from "./asked.ts";
import type { Answer } from "./pick.ts";
import type { Api, Piece } from "./wire.ts";
import { piecesOf, usageOf } from "./wire.ts";

const request = z.object({
  model: z.string().default("scripted"),
  stream: z.boolean().nullish(),
  system: z.unknown().optional(),
  tools: z.array(z.object({ name: z.string() })).nullish(),
  messages: z.array(z.object({ role: z.enum(["system", "user", "assistant"]), content: z.unknown().optional() })),
});

export const anthropic: Api = {
  read(body) {
    const { messages, system, ...rest } = request.parse(body);
    return askedFrom([{ role: "system", text: textOf(system) }, ...messages.flatMap(rowsOf)], {
      api: "anthropic",
      model: rest.model,
      stream: rest.stream ?? false,
      wantsUsage: true,
      tools: rest.tools?.map(({ name }) => name) ?? [],
      size: JSON.stringify([system ?? "", messages]).length,
    });
  },

  stream(asked, answer, pieceLength) {
    const usage = usageOf(asked, answer);
    const { pieces, end } = blocksOf(piecesOf(answer, pieceLength));
    const closing = [
      end,
      frame("message_delta", {
        delta: { stop_reason: stopOf(answer), stop_sequence: null },
        usage: { output_tokens: usage.output },
      }),
      frame("message_stop", {}),
    ];
    const message = { ...headOf(asked), content: [], stop_reason: null, stop_sequence: null };
    return {
      opening: frame("message_start", {
        message: { ...message, usage: { ...inputOf(usage), output_tokens: 1 } },
      }),
      pieces,
      closing: closing.join(""),
    };
  },

  whole(asked, answer) {
    const usage = usageOf(asked, answer);
    const content = [
      ...(answer.think ? [{ type: "thinking", thinking: answer.think, signature }] : []),
      ...(answer.say ? [{ type: "text", text: answer.say }] : []),
      ...answer.tools.map((call) => ({ type: "tool_use", ...call })),
    ];
    const end = { stop_reason: stopOf(answer), stop_sequence: null };
    return { ...headOf(asked), content, ...end, usage: { ...inputOf(usage), output_tokens: usage.output } };
  },

  errorBody: ({ status, message, type }) => ({ type: "error", error: { type: type ?? errorType(status), message } }),

  errorFrame: (message) => frame("error", { error: { type: "api_error", message } }),
};

/** Anthropic counts tokens from the cache apart from the others. */
function inputOf({ input, cached }: NonNullable<Answer["usage"]>) {
  return { input_tokens: input, ...(cached === undefined ? {} : { cache_read_input_tokens: cached }) };
}

const signature = "c2NyaXB0ZWQ=";

/**
 * Results of tools come in the user's name, with notes of the program beside them, and after an interrupt with the
 * user's next words as well: only these are a prompt.
 */
function rowsOf({ role, content }: z.output<typeof request>["messages"][number]): Row[] {
  const blocks: Block[] = Array.isArray(content) ? content : [{ type: "text", text: content }];
  const callIds = blocks.flatMap((block) => (block.type === "tool_use" ? [String(block.id)] : []));
  if (role !== "user") return [{ role, text: textOf(content), callIds }];
  const results = blocks.filter((block) => block.type === "tool_result");
  const tool: Row = { role: "tool", text: results.map((block) => textOf(block.content)).join("\n") };
  const words = textOf(blocks.slice(blocks.findLastIndex(isInterruption) + 1).filter((block) => !isNote(block)));
  if (words.trim() !== "") return results.length > 0 ? [tool, { role, text: words }] : [{ role, text: words }];
  return results.length > 0 || blocks.some(isContinuation) ? [tool] : [{ role, text: textOf(content) }];
}

type Block = Record<string, unknown>;

/** What Claude Code says in the user's name of its own accord. */
function isNote(block: Block): boolean {
  const note =
    /^(<(system-reminder|local-command-\w+|command-name)>|\[Image: source: |This session is being continued from)/;
  return note.test(String(block.text ?? "").trim()) || isContinuation(block);
}

/** The model was cut off or said nothing, and is told to go on with the same turn. */
function isContinuation(block: Block): boolean {
  return /^(Output token limit hit\.|\[Your previous response had no visible output)/.test(String(block.text ?? ""));
}

/** What stands before it was given up; what comes after it in the same row is new. */
function isInterruption(block: Block): boolean {
  return /^\[Request interrupted by user/.test(String(block.text ?? ""));
}

/** Each piece with what must come before it: the end of the block before, and the start of its own. */
function blocksOf(pieces: readonly Piece[]): { pieces: string[]; end: string } {
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

function startOf(piece: Piece): unknown {
  if (piece.kind === "think") return { type: "thinking", thinking: "", signature: "" };
  if (piece.kind === "say") return { type: "text", text: "" };
  return { type: "tool_use", id: piece.id, name: piece.name, input: {} };
}

function deltaOf({ kind, text }: Piece): unknown {
  if (kind === "think") return { type: "thinking_delta", thinking: text };
  return kind === "say" ? { type: "text_delta", text } : { type: "input_json_delta", partial_json: text };
}

function blockStop(index: number, block: string): string {
  if (index === -1) return "";
  const signed =
    block === "think" ? frame("content_block_delta", { index, delta: { type: "signature_delta", signature } }) : "";
  return `${signed}${frame("content_block_stop", { index })}`;
}

/** Claude Code takes rows with one id for parts of one message. */
function headOf({ model }: Asked) {
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
