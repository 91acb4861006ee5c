/** The frame of a tool call: one line with its state, and more when it is opened. */
import type { ReactNode } from "react";
import type { Part, ShownItem } from "../../live/turns.ts";
import type { IconName } from "../../ui/icon.tsx";
import { Icon } from "../../ui/icon.tsx";
import { exactText } from "../../ui/safe-text.ts";
import { durationWords, Elapsed } from "../../ui/time.tsx";

export type ToolState = { words: string; icon: IconName; className: string };

type ToolFrameProps = {
  call: ShownItem;
  result: ShownItem | null;
  state: ToolState;
  /** What the call is about. */
  summary: ReactNode;
  isOpen?: boolean;
  children: ReactNode;
};

export function ToolFrame({ call, result, state, summary, isOpen = false, children }: ToolFrameProps) {
  return (
    <details className="group/tool rounded-md border border-line" open={isOpen ? true : undefined}>
      <summary className="flex h-7 items-center gap-2 px-2 text-sm">
        <Icon name="chevron" className="size-3 text-faint transition-transform group-open/tool:rotate-90" />
        <Icon name={state.icon} className={`size-3.5 ${state.className}`} />
        <span className="font-medium">{exactText(call.name ?? "tool")}</span>
        {summary}
        <span className={`max-w-1/2 shrink-0 truncate ${state.className}`}>{state.words}</span>
        <span className="shrink-0 text-faint tabular-nums">
          {isLive(result) ? <Elapsed since={call.startedAt} /> : durationWords((result?.endedAt ?? 0) - call.startedAt)}
        </span>
      </summary>
      <div className="flex flex-col gap-2 border-t border-line px-2 py-1.5">{children}</div>
    </details>
  );
}

export function isLive(result: ShownItem | null): boolean {
  return result === null || result.endedAt === null;
}

export function callPart(item: ShownItem): Extract<Part, { type: "tool_call" }> | undefined {
  return item.parts.find((part) => part.type === "tool_call");
}

export function resultPart(item: ShownItem | null): Extract<Part, { type: "tool_result" }> | undefined {
  return item?.parts.find((part) => part.type === "tool_result");
}

export function toolState(call: ShownItem, result: ShownItem | null): ToolState {
  const part = resultPart(result);
  if (part?.rejected) return { words: "rejected", icon: "hand", className: "text-bad" };
  if (part?.isError) return { words: "failed", icon: "cross", className: "text-bad" };
  if (!isLive(result)) return { words: "", icon: "check", className: "text-good" };
  if (call.endedAt === null) return { words: "preparing", icon: "tool", className: "text-busy" };
  return { words: "running", icon: "tool", className: "text-busy" };
}
