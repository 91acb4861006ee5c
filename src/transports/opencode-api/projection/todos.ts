/** An agent's plan as OpenCode's to-do list. Formats differ by program; anything but a list counts as empty. Pure. */
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
