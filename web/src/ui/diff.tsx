/** A coloured unified diff. One that cannot be parsed is shown unchanged. Loaded when the first one is shown. */
import "react-diff-view/style/index.css";
import "./diff.css";
import { useMemo } from "react";
import type { FileData } from "react-diff-view";
import { Diff as DiffTable, Hunk, parseDiff } from "react-diff-view";
import { exactText } from "./safe-text.ts";

/** A longer table would block the page. */
const maxLines = 1500;

export default function Diff({ diff, path }: { diff: string; path: string }) {
  const file = useMemo(() => fileOf(diff), [diff]);
  if (!file) {
    return (
      <pre tabIndex={0} className="max-h-96 overflow-auto px-2 py-1 font-mono text-xs whitespace-pre">
        {exactText(diff)}
      </pre>
    );
  }
  return (
    <div
      tabIndex={0}
      role="group"
      aria-label={`Changes to ${path}`}
      className="max-h-[32rem] overflow-auto border-t border-line"
    >
      <DiffTable viewType="unified" diffType={file.type} hunks={file.hunks}>
        {(hunks) => hunks.map((hunk) => <Hunk key={hunk.content} hunk={hunk} />)}
      </DiffTable>
    </div>
  );
}

function fileOf(diff: string): FileData | null {
  if (diff.split("\n", maxLines + 1).length > maxLines) return null;
  try {
    // Programs may omit the header, or begin with an index line.
    const text = /^(diff --git|--- )/m.test(diff) ? diff : `--- a\n+++ b\n${diff}`;
    const [file] = parseDiff(exactText(text.slice(text.search(/^(diff --git|--- )/m))), { nearbySequences: "zip" });
    return file && file.hunks.length > 0 ? file : null;
  } catch {
    return null;
  }
}
