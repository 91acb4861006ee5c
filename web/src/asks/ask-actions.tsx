import type { ReactNode } from "react";

/** The buttons of an ask. They stay in view while a long ask is scrolled. */
export function AskActions({ children }: { children: ReactNode }) {
  return (
    <div className="sticky bottom-0 -mx-3 flex flex-wrap items-center gap-1.5 border-t border-line bg-raised px-3 pt-2">
      {children}
    </div>
  );
}
