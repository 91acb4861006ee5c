/** Changed files as OpenCode shows them. Pure. */
import type { SnapshotFileDiff } from "@opencode-ai/sdk/v2/types";
import type { FilePart } from "../../../core/turn/item.ts";

export function fileDiff({ path, change, diff }: FilePart): SnapshotFileDiff {
  const lines = diff === null ? [] : diff.split("\n");
  return {
    file: path,
    ...(diff === null ? {} : { patch: diff }),
    additions: lines.filter((line) => line.startsWith("+") && !line.startsWith("+++")).length,
    deletions: lines.filter((line) => line.startsWith("-") && !line.startsWith("---")).length,
    ...(change === "unknown" ? {} : { status: change }),
  };
}
