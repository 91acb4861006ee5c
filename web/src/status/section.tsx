/** A section of the status page with its own address, and its dense tables. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

type SectionProps = { id: string; title: string; note?: ReactNode; actions?: ReactNode; children: ReactNode };

export function Section({ id, title, note, actions, children }: SectionProps) {
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      className="@container scroll-mt-12 max-lg:scroll-mt-20 border-b border-line px-4 py-3"
    >
      <header className="mb-1 flex min-h-7 flex-wrap items-center gap-x-3">
        <h2 id={`${id}-title`} className="text-lg font-semibold">
          <Link to="/status" hash={id} className="hover:underline">
            {title}
          </Link>
        </h2>
        {note && <span className="text-sm text-muted">{note}</span>}
        {actions && <div className="ml-auto flex items-center gap-1.5">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

export type Column = {
  name: string;
  /** Its width, as a class; the widest columns have none. */
  width?: string;
  /** For numbers. */
  end?: boolean;
  /** Read out, not shown. */
  hidden?: boolean;
};

/** On a narrow screen each row becomes a block, and each cell names its column. */
export function Table({ name, columns, children }: { name: string; columns: readonly Column[]; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noRedundantRoles: a table that is shown as blocks loses its roles
    <table role="table" aria-label={name} className="w-full table-fixed text-left @max-3xl:block">
      <thead className="@max-3xl:hidden">
        <tr className="border-b border-line text-sm text-faint">
          {columns.map((column) => (
            <th
              key={column.name}
              scope="col"
              className={`h-7 pr-3 font-normal last:pr-0 ${column.width ?? ""} ${column.end ? "text-right" : ""}`}
            >
              {column.hidden ? <span className="sr-only">{column.name}</span> : column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="@max-3xl:block">{children}</tbody>
    </table>
  );
}

export function Row({ children }: { children: ReactNode }) {
  return (
    <tr
      // biome-ignore lint/a11y/noRedundantRoles: a table that is shown as blocks loses its roles
      role="row"
      className="border-b border-line align-top last:border-b-0 hover:bg-hover/50 @max-3xl:relative @max-3xl:block @max-3xl:py-1.5"
    >
      {children}
    </tr>
  );
}

type CellProps = { label?: string; end?: boolean; className?: string; children?: ReactNode };

/** `label`: the name of its column, for narrow screens. Without one the cell speaks for itself. */
export function Cell({ label, end = false, className = "", children }: CellProps) {
  return (
    <td
      // biome-ignore lint/a11y/noRedundantRoles: a table that is shown as blocks loses its roles
      role="cell"
      className={`min-w-0 py-1 pr-3 last:pr-0 @max-3xl:flex @max-3xl:gap-2 @max-3xl:py-0.5 @max-3xl:pr-0 ${end ? "@3xl:text-right" : ""} ${className}`}
    >
      {label && <span className="w-20 shrink-0 text-sm text-faint @3xl:hidden">{label}</span>}
      <div className="min-w-0 grow">{children}</div>
    </td>
  );
}

/** An empty state. */
export function Nothing({ children }: { children: ReactNode }) {
  return <p className="py-1 text-muted">{children}</p>;
}
