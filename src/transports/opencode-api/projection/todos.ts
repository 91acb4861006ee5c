/** An agent's plan as OpenCode's list. Programs write theirs in forms of their own; what is no list is no plan. Pure. */
import type { Todo } from "@opencode-ai/sdk/v2/types";
import { isRecord } from "./json-record.ts";

export function todosOf(value: unknown): Todo[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).map((one) => ({
    content: textOf(one.content) ?? textOf(one.subject) ?? "",
    status: textOf(one.status) ?? "pending",
    priority: textOf(one.priority) ?? "medium",
  }));
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
