/** An agent's plan as OpenCode's list. Programs have forms of their own; anything but a list is taken for none. Pure. */
import type { Todo } from "@opencode-ai/sdk/v2/types";
import { isRecord } from "./json-record.ts";

export function todosOf(value: unknown): Todo[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).map((one) => ({
    content: stringIn(one.content) ?? stringIn(one.subject) ?? "",
    status: stringIn(one.status) ?? "pending",
    priority: stringIn(one.priority) ?? "medium",
  }));
}

function stringIn(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
