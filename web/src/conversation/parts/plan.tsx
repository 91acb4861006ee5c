import type { ShownItem } from "../../live/turns.ts";
import { proseText } from "../../ui/safe-text.ts";
import { JsonDetails } from "./json-details.tsx";

type Todo = { content: string; status: string };

/** A plan as a to-do list if the program provides one, else its raw value. */
export function Plan({ item }: { item: ShownItem }) {
  const [part] = item.parts;
  const value = part?.type === "json" ? part.value : null;
  const todos = todosOf(value);
  if (!todos) return <JsonDetails label="Plan" value={value} />;
  return (
    <ul aria-label="Plan" className="rounded-md border border-line px-2.5 py-1.5">
      {todos.map(({ content, status }) => (
        <li
          key={content}
          className={status === "completed" ? "text-faint line-through" : status === "in_progress" ? "font-medium" : ""}
        >
          <span aria-hidden="true">{status === "completed" ? "☑" : status === "in_progress" ? "▸" : "☐"}</span>{" "}
          {proseText(content)}
          <span className="sr-only"> ({status.replaceAll("_", " ")})</span>
        </li>
      ))}
    </ul>
  );
}

function todosOf(value: unknown): Todo[] | null {
  const list = Array.isArray(value) ? value : (value as { todos?: unknown } | null)?.todos;
  if (!Array.isArray(list)) return null;
  const todos = list.flatMap((one: unknown): Todo[] => {
    const { content, step, status } = (one ?? {}) as Record<string, unknown>;
    const text = typeof content === "string" ? content : step;
    return typeof text === "string" ? [{ content: text, status: typeof status === "string" ? status : "pending" }] : [];
  });
  return todos.length === list.length && todos.length > 0 ? todos : null;
}
