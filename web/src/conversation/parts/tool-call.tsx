/** A tool call on one line, with its input and output when opened. */
import type { ReactNode } from "react";
import type { ShownItem } from "../../live/turns.ts";
import { RawInput, RawOutput } from "./raw-call.tsx";
import { callPart, isLive, ToolFrame, toolState } from "./tool-frame.tsx";
import { toolSummary } from "./tool-summary.ts";

type ToolCallProps = { call: ShownItem; result: ShownItem | null; children?: ReactNode };

export function ToolCall({ call, result, children }: ToolCallProps) {
  const hasBelow = Array.isArray(children) && children.length > 0;
  return (
    <ToolFrame
      call={call}
      result={result}
      state={toolState(call, result)}
      summary={
        <code className="min-w-0 grow truncate font-mono text-xs text-muted">{toolSummary(callPart(call)?.input)}</code>
      }
      isOpen={hasBelow && isLive(result)}
    >
      <RawInput call={call} />
      {hasBelow && <div className="flex flex-col gap-1.5 border-l-2 border-line pl-2">{children}</div>}
      <RawOutput result={result} />
    </ToolFrame>
  );
}
