import type { ReactNode } from "react";

/** A section of the page with a small heading. `aside` is at the end of the heading's line. */
export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <div className="mb-1.5 flex h-6 items-center gap-2">
        <h2 className="grow text-sm font-semibold text-muted">{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** An id that can be copied. */
export function Id({ id }: { id: string }) {
  return (
    <code className="font-mono text-xs wrap-anywhere text-muted" title={id}>
      {id}
    </code>
  );
}
