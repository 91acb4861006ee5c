/**
 * Calls a tool: validates the arguments, runs it, and turns refusals into results that a model can act on. A result is
 * returned only once everything in it is durable.
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { AppError } from "../../platform/app-error.ts";
import { nearest } from "../../platform/nearest.ts";
import { toAppError } from "../http/errors.ts";
import { findTool, toolNames } from "./tools/registry.ts";
import type { ToolContext } from "./tools/tool.ts";

type CallContext = ToolContext & {
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

type Issue = z.core.$ZodIssue;

/** A model fixes only a few at a time. */
const mostProblems = 5;

/** Describes problems with the arguments of a call, and what to send instead. */
function argumentProblems(issues: readonly Issue[], args: unknown, fields: readonly string[]): string[] {
  return issues.slice(0, mostProblems).map((issue) => problem(issue, args, fields));
}

function problem(issue: Issue, args: unknown, fields: readonly string[]): string {
  const field = fieldName(issue.path);
  const given = valueAt(args, issue.path);
  switch (issue.code) {
    case "unrecognized_keys":
      return unknownFields(issue.keys, field, fields);
    case "invalid_type":
      if (given === undefined) return `${field} is missing: send ${withArticle(issue.expected)}.`;
      return `${field} must be ${withArticle(issue.expected)}, not ${given === null ? "null; or leave it out" : typeOf(given)}.`;
    case "invalid_value":
      return given === undefined
        ? `${field} is missing: send one of ${issue.values.join(", ")}.`
        : `${field} must be one of ${issue.values.join(", ")}, not ${quoted(given)}.`;
    case "too_big":
      return issue.origin === "string"
        ? `${field} is longer than ${issue.maximum} characters: write it to a file, and name the file instead.`
        : `${field} must be at most ${issue.maximum}${issue.origin === "array" ? " items" : ""}.`;
    case "too_small":
      return issue.origin === "string" ? `${field} is empty.` : `${field} must be at least ${issue.minimum}.`;
    default:
      return `${field}: ${issue.message}.`;
  }
}

function unknownFields(keys: readonly string[], parent: string, fields: readonly string[]): string {
  const names = keys.slice(0, mostProblems).map(quoted).join(", ");
  if (parent !== "arguments") return `Unknown field in ${parent}: ${names}. Leave it out.`;
  const similar = keys.length === 1 ? nearest(keys[0] ?? "", fields) : null;
  const guess = similar === null ? "" : ` Did you mean ${similar}?`;
  const known = fields.length === 0 ? "It takes no arguments." : `It takes ${fields.join(", ")}.`;
  return `Unknown field ${names}.${guess} ${known}`;
}

/** `taskRefs[0].id` */
function fieldName(path: readonly PropertyKey[]): string {
  const name = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return name.replace(/^\./, "") || "arguments";
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
}

function typeOf(value: unknown): string {
  return withArticle(Array.isArray(value) ? "array" : typeof value);
}

function withArticle(type: string): string {
  const name = type === "int" ? "integer" : type;
  return `${/^[aeio]/.test(name) ? "an" : "a"} ${name}`;
}

/** Truncated: the value may be megabytes long. */
function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
