/**
 * Calls a tool: validates the arguments, runs it, and turns refusals into results that a model can act on. A result is
 * returned only once everything in it is durable.
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { AppError } from "../../platform/app-error.ts";
import { nearest } from "../../platform/nearest.ts";
import { toAppError } from "../http/errors.ts";
import { argumentProblems } from "./argument-problems.ts";
import { findTool, toolNames } from "./tools/registry.ts";
import type { ToolContext } from "./tools/tool.ts";

export type CallContext = ToolContext & {
  settled: () => Promise<void>;
  /** Gets the errors that are our fault, not the agent's. */
  report: (error: unknown) => void;
};

export async function callTool(
  name: string,
  args: Record<string, unknown>,
  context: CallContext,
): Promise<CallToolResult> {
  const tool = findTool(name);
  if (!tool) throw unknownTool(name);
  const parsed = tool.input.safeParse(args);
  if (!parsed.success) {
    const problems = argumentProblems(parsed.error.issues, args, Object.keys(tool.input.shape));
    return refusal(`${name} was not carried out. ${problems.join(" ")}`);
  }
  try {
    const { data, text } = await tool.run(parsed.data, context);
    await context.settled();
    return { content: [{ type: "text", text }], structuredContent: data };
  } catch (thrown) {
    if (!(thrown instanceof AppError)) context.report(thrown);
    return refusal(wordsOf(toAppError(thrown)));
  }
}

/** Has no structured content: that would have to match the output schema. */
export function refusal(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

function wordsOf({ message, hint, retryable }: AppError): string {
  const next = hint ?? (retryable ? "Try again in a moment." : undefined);
  return next === undefined ? message : `${message} ${next}`;
}

export function unknownTool(name: string): ProtocolError {
  const similar = nearest(name, toolNames);
  const guess = similar === null ? "" : ` Did you mean ${similar}?`;
  const message = `Unknown tool ${JSON.stringify(name.slice(0, 100))}.${guess} The tools are ${toolNames.join(", ")}.`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
