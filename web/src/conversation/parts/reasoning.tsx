import { proseText } from "../../ui/safe-text.ts";

/** Folded by default. */
export function Reasoning({ text, isLive }: { text: string; isLive: boolean }) {
  return (
    <details className="text-muted">
      <summary className="text-sm">{isLive ? "Thinking…" : "Thought about it"}</summary>
      <p className="mt-1 border-l-2 border-line pl-2 wrap-anywhere whitespace-pre-wrap" dir="auto">
        {proseText(text)}
      </p>
    </details>
  );
}
