/**
 * The items of a turn, and their parts. The same for every agent program; anything a program cannot report is null,
 * never made up.
 */

export type Part =
  | { type: "text"; id: string; text: string }
  | { type: "reasoning"; id: string; text: string }
  /** `input`: as the tool gets it. While the program writes it: its text so far. */
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
  /** A unified diff, if the program reports one. */
  diff: string | null;
};

export const itemKinds = ["message", "tool_call", "tool_result", "file_change", "plan", "status"] as const;
export type ItemKind = (typeof itemKinds)[number];

export type Item = {
  id: string;
  kind: ItemKind;
  /** For a message. */
  role: "user" | "assistant" | null;
  /** For a tool's call and result: the tool. For a status: its subject. */
  name: string | null;
  /** The message that a call belongs to, the call that a result belongs to, the call that a subagent works for. */
  parent: string | null;
  status: "in_progress" | "completed" | "failed";
  parts: Part[];
};

/** The text of a part that grows while its item is open, with the id that deltas use for the part. */
export function growingText(part: Part): { part: string; text: string } | null {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { part: part.id, text: part.text };
    case "tool_result":
      return { part: part.call, text: part.output };
    case "tool_call":
      return typeof part.input === "string" ? { part: part.call, text: part.input } : null;
    default:
      return null;
  }
}
