/**
 * What a turn is made of: items, and the parts that they have. The same for every agent program; what one of them
 * cannot tell is null, and never made up.
 */
import { z } from "zod";

export const partShape = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), id: z.string(), text: z.string() }),
  z.object({ type: z.literal("reasoning"), id: z.string(), text: z.string() }),
  z.object({ type: z.literal("tool_call"), call: z.string(), name: z.string(), input: z.unknown() }),
  z.object({
    type: z.literal("tool_result"),
    call: z.string(),
    name: z.string(),
    output: z.string(),
    isError: z.boolean(),
    /** A person refused the permission or the question behind the call. */
    rejected: z.boolean(),
  }),
  z.object({
    type: z.literal("file"),
    path: z.string(),
    change: z.enum(["added", "modified", "deleted", "unknown"]),
    /** A unified diff, where the program shows one. */
    diff: z.string().nullable(),
  }),
  z.object({ type: z.literal("image"), id: z.string(), mime: z.string(), name: z.string().nullable() }),
  z.object({ type: z.literal("json"), id: z.string(), value: z.unknown() }),
]);

export const itemKinds = ["message", "tool_call", "tool_result", "file_change", "plan", "status"] as const;

export const itemShape = z.object({
  id: z.string(),
  kind: z.enum(itemKinds),
  /** Of a message. */
  role: z.enum(["user", "assistant"]).nullable(),
  /** Of a tool's call and result: the tool. Of a status: what it is about. */
  name: z.string().nullable(),
  /** The message that a call belongs to, the call that a result belongs to, the call that a subagent works for. */
  parent: z.string().nullable(),
  status: z.enum(["in_progress", "completed", "failed"]),
  parts: z.array(partShape),
});

export type Part = z.infer<typeof partShape>;
export type FilePart = Extract<Part, { type: "file" }>;
export type ItemKind = (typeof itemKinds)[number];
export type Item = z.infer<typeof itemShape>;
