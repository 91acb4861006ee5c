/** Output of a tool without terminal codes. Long output is cut; all of it can be shown or copied. */
import { useState } from "react";
import { CopyButton } from "../../ui/copy-button.tsx";
import { beginningOf, terminalText } from "../../ui/safe-text.ts";

const maxLines = 40;
const maxCharacters = 8000;

type OutputProps = { label?: string; text: string; isError?: boolean; isExact?: boolean };

export function Output({ label, text, isError = false, isExact = false }: OutputProps) {
  const [isWhole, setWhole] = useState(false);
  const plain = isExact ? text : terminalText(text);
  const shown = isWhole ? { text: plain, leftOut: 0 } : beginningOf(plain, maxLines, maxCharacters);
  return (
    <div>
      <div className="flex items-center gap-2 text-sm text-faint">
        {label && <span className="grow">{label}</span>}
        <CopyButton text={plain} />
      </div>
      <pre
        tabIndex={0}
        role="group"
        aria-label={label ?? "Text"}
        className={`max-h-96 overflow-auto rounded-md bg-sunken px-2 py-1 font-mono text-xs wrap-anywhere whitespace-pre-wrap ${isError ? "text-bad" : ""}`}
      >
        {shown.text}
      </pre>
      {shown.leftOut > 0 && (
        <button type="button" className="text-sm text-accent underline" onClick={() => setWhole(true)}>
          Show {shown.leftOut.toLocaleString()} more characters
        </button>
      )}
    </div>
  );
}
