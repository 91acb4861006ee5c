import { useState } from "react";
import { Icon } from "./icon.tsx";

/** Copies a text, and says so for a moment. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState("copied");
    } catch {
      setState("failed");
    }
    setTimeout(() => setState("idle"), 1500);
  };
  const words = { idle: label, copied: "Copied", failed: "Could not copy" }[state];
  return (
    <button
      type="button"
      onClick={copy}
      className="inline-flex items-center gap-1 rounded-sm px-1 text-sm text-muted hover:bg-hover hover:text-ink"
    >
      <Icon name={state === "copied" ? "check" : "copy"} className="size-3.5" />
      <span aria-live="polite">{words}</span>
    </button>
  );
}
