/** Files that the agent changed, each with its diff if the program provides one. */
import { lazy, Suspense } from "react";
import type { Part, ShownItem } from "../../live/turns.ts";
import { Icon } from "../../ui/icon.tsx";
import { exactText } from "../../ui/safe-text.ts";

const Diff = lazy(() => import("../../ui/diff.tsx"));

type FilePart = Extract<Part, { type: "file" }>;

const changeWords: Record<FilePart["change"], string> = {
  added: "added",
  modified: "changed",
  deleted: "deleted",
  unknown: "changed",
};

export function FileChange({ item }: { item: ShownItem }) {
  return item.parts.filter((part) => part.type === "file").map((part) => <ChangedFile key={part.path} part={part} />);
}

function ChangedFile({ part: { path, change, diff } }: { part: FilePart }) {
  const counts = diff === null ? null : countLines(diff);
  return (
    <details className="rounded-md border border-line" open={counts !== null && counts.added + counts.removed <= 60}>
      <summary className="flex h-7 items-center gap-2 px-2 text-sm">
        <Icon name="file" className="size-3.5 text-muted" />
        <code className="min-w-0 truncate font-mono text-xs">{exactText(path)}</code>
        <span className="text-faint">{changeWords[change]}</span>
        {counts && (
          <span className="ml-auto font-mono text-xs tabular-nums">
            <span className="text-good">+{counts.added}</span> <span className="text-bad">−{counts.removed}</span>
          </span>
        )}
      </summary>
      {diff !== null && (
        <Suspense fallback={<p className="px-2 py-1 text-sm text-faint">Loading the diff…</p>}>
          <Diff diff={diff} path={path} />
        </Suspense>
      )}
    </details>
  );
}

function countLines(diff: string): { added: number; removed: number } {
  let [added, removed] = [0, 0];
  for (const line of diff.split("\n")) {
    if (line.startsWith("+") && !line.startsWith("+++")) added += 1;
    else if (line.startsWith("-") && !line.startsWith("---")) removed += 1;
  }
  return { added, removed };
}
