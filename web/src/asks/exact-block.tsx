/** A text that a person decides about: complete and unchanged, with invisible characters made visible. */
import { CopyButton } from "../ui/copy-button.tsx";
import { exactText } from "../ui/safe-text.ts";
import type { Shown } from "./permission-request.ts";

const grounds = { removed: "bg-removed", added: "bg-added" } as const;

/** More lines than fit on the screen. */
const manyLines = 8;

/** `isLabelled`: there are several of them. */
export function ExactBlock({ label, text, change, isLabelled }: Shown & { isLabelled: boolean }) {
  const exact = exactText(text);
  const lines = exact.split("\n").length;
  const isLong = lines > manyLines || exact.length > 900;
  if (!exact.includes("\n") && exact.length <= 60 && label === "Path") {
    return (
      <p className="flex items-baseline gap-2">
        <span className="text-sm text-faint">{label}</span>
        <code className="font-mono text-sm wrap-anywhere">{exact}</code>
      </p>
    );
  }
  return (
    <div>
      {isLabelled && (
        <p className="text-sm text-faint" aria-hidden="true">
          {label}
        </p>
      )}
      <pre
        tabIndex={0}
        role="group"
        aria-label={label}
        className={`max-h-44 overflow-auto rounded-md border border-line px-2 py-1.5 font-mono text-sm wrap-anywhere whitespace-pre-wrap ${change ? grounds[change] : "bg-sunken"}`}
      >
        {exact}
      </pre>
      {isLong && (
        <p className="flex items-center gap-2 text-sm text-muted">
          {lines > 1 ? `${lines.toLocaleString()} lines` : `${exact.length.toLocaleString()} characters`}; scroll to
          read all of it. <CopyButton text={text} />
        </p>
      )}
    </div>
  );
}
