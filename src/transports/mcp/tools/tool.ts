/**
 * The definition of a tool: schemas for input and output, and a run that returns data for programs and text for models.
 */
import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type { z } from "zod";
import type { Clock } from "../../../platform/clock.ts";
import type { AgentService, Caller } from "../../../service/agent-service.ts";

export type ToolContext = {
  agents: AgentService;
  caller: Caller;
  clock: Clock;
  /** Aborted when the client disconnects or Waybill stops. */
  signal: AbortSignal;
};

/** The service returns read-only lists. */
export type Unchanged<T> = T extends object ? { readonly [Key in keyof T]: Unchanged<T[Key]> } : T;

/** Fields of `data` that are not in the schema are left out. */
type Result<Data> = { data: Data; text: string };

type Definition<Input extends z.ZodObject, Output extends z.ZodObject> = {
  name: string;
  title: string;
  /** Read by the model that calls the tool. */
  description: string;
  annotations: ToolAnnotations;
  input: Input;
  output: Output;
  run: (input: z.output<Input>, context: ToolContext) => Promise<Result<Unchanged<z.input<Output>>>>;
};

export type Tool = Omit<Definition<z.ZodObject, z.ZodObject>, "run"> & {
  run: (input: Record<string, unknown>, context: ToolContext) => Promise<Result<Record<string, unknown>>>;
};

/** Arguments are validated with `input` before `run` gets them. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: Definition<Input, Output>,
): Tool {
  const { run, ...rest } = definition;
  return {
    ...rest,
    async run(input, context) {
      const { data, text } = await run(input as z.output<Input>, context);
      return { data: rest.output.parse(data), text };
    },
  };
}

/** No tool touches anything but Waybill's own messages, and none deletes anything. */
export const readsOnly: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };

/**
 * `repeatable`: calling it again with the same arguments has no further effect, so a call with a lost result can be
 * repeated.
 */
export function changes({ repeatable }: { repeatable: boolean }): ToolAnnotations {
  return { readOnlyHint: false, destructiveHint: false, idempotentHint: repeatable, openWorldHint: false };
}

export function isRepeatable({ annotations }: Tool): boolean {
  return annotations.readOnlyHint === true || annotations.idempotentHint === true;
}
