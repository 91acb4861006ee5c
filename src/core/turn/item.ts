/**
 * What a turn is made of: items, and the parts that they have. The same for every agent program; what one of them
 * cannot tell is null, and never made up.
 */

export type Part =
  | { type: "text"; id: string; text: string }
  | { type: "reasoning"; id: string; text: string }
  | { type: "tool_call"; call: string; name: string; input: unknown }
  | {
      type: "tool_result";
      call: string;
      name: string;
      output: string;
      isError: boolean;
      /** A person refused the permission or the question behind the call. */
      rejected: boolean;
    }
  | FilePart
  | { type: "image"; id: string; mime: string; name: string | null }
  | { type: "json"; id: string; value: unknown };

export type FilePart = {
  type: "file";
  path: string;
  change: "added" | "modified" | "deleted" | "unknown";
  /** A unified diff, where the program shows one. */
  diff: string | null;
};

export const itemKinds = ["message", "tool_call", "tool_result", "file_change", "plan", "status"] as const;
export type ItemKind = (typeof itemKinds)[number];

export type Item = {
  id: string;
  kind: ItemKind;
  /** Of a message. */
  role: "user" | "assistant" | null;
  /** Of a tool's call and result: the tool. Of a status: what it is about. */
  name: string | null;
  /** The message that a call belongs to, the call that a result belongs to, the call that a subagent works for. */
  parent: string | null;
  status: "in_progress" | "completed" | "failed";
  parts: Part[];
};
