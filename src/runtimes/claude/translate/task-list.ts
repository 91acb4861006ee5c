/** The agent's plan: either replaced as a whole (TodoWrite), or built up task by task (TaskCreate, TaskUpdate). */
import type { Json } from "../../json-fields.ts";
import { asList, asObject, asText } from "../../json-fields.ts";

type Task = { id: string; subject: string; status: string } & Record<string, unknown>;

export class TaskList {
  readonly #tasks = new Map<string, Task>();

  /** The plan after a tool that changed it; null after any other. */
  planAfter(tool: string, input: Json, result: Json): unknown {
    if (tool === "TodoWrite") return asList(input.todos);
    if (tool === "TaskCreate") return this.#created(input, asObject(result.task) ?? {});
    return tool === "TaskUpdate" ? this.#updated(input, result) : null;
  }

  #created(input: Json, task: Json): unknown {
    const id = asText(task.id);
    if (id === null) return null;
    const subject = asText(task.subject) ?? asText(input.subject) ?? "";
    this.#tasks.set(id, { id, subject, status: "pending" });
    return this.#all();
  }

  #updated(input: Json, result: Json): unknown {
    const id = asText(result.taskId) ?? asText(input.taskId);
    if (id === null || result.success === false) return null;
    // For a task from an earlier process only the number is known.
    const known = this.#tasks.get(id) ?? { id, subject: "", status: "pending" };
    const status = asText(input.status) ?? known.status;
    if (status === "deleted") this.#tasks.delete(id);
    else this.#tasks.set(id, { ...known, subject: asText(input.subject) ?? known.subject, status });
    return this.#all();
  }

  #all(): Task[] {
    return structuredClone([...this.#tasks.values()]);
  }
}
