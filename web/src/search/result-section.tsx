import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";

/** A group of results with its heading. */
export function ResultSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className="mb-1 text-sm font-semibold text-muted">{title}</h2>
      {children}
    </section>
  );
}

export const resultList = "divide-y divide-line overflow-hidden rounded-md border border-line";

type Pages = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };

/** Nothing when there is no further page. */
export function MoreButton({ results }: { results: Pages }) {
  if (!results.hasNextPage) return null;
  return (
    <Button className="mt-2" disabled={results.isFetchingNextPage} onClick={() => void results.fetchNextPage()}>
      {results.isFetchingNextPage ? "Loading…" : "More"}
    </Button>
  );
}
