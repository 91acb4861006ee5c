/** Universal events as short lines for use in tests: one per event, and one for an item that starts and ends. */
import type { Item, Part } from "../../../src/core/turn/item.ts";
import type { Draft } from "../../../src/core/turn/universal-event.ts";

/** Events of a subsession are indented. */
export function eventLines(drafts: readonly Draft[]): string[] {
  return drafts.flatMap((draft) => {
    const line = lineOf(draft);
    return line === null ? [] : [`${draft.nativeSession === undefined ? "" : "  "}${line}`];
  });
}

function lineOf({ type, data }: Draft): string | null {
  switch (type) {
    case "item.started":
      return data.item.role === "assistant" ? "message begins" : null;
    case "item.completed":
      return itemLine(data.item);
    case "turn.started":
      return `turn.started ${data.prompt?.slice(-1) ?? "by itself"}`;
    case "turn.ended":
      return `turn.ended ${data.reason}${data.queued > 0 ? `, ${data.queued} queued` : ""}`;
    case "usage": {
      const { input, output, reasoning, cacheRead } = data.tokens;
      const cost = data.cost === null ? "" : ` $${data.cost.toFixed(4)}`;
      return `usage of ${data.of}: ${input}+${cacheRead} in, ${output}+${reasoning} out${cost}`;
    }
    case "error":
      return `error ${data.message}`;
    case "permission.requested":
      return `permission.requested ${data.title}`;
    case "question.requested":
      return `question.requested ${data.questions.map(({ question }) => question).join(" ")}`;
    case "permission.resolved":
      return `permission.resolved ${data.outcome}`;
    case "question.resolved":
      return `question.resolved ${data.outcome} ${data.answers?.join(" / ") ?? ""}`.trimEnd();
    case "unparsed":
      return `unparsed ${data.reason}`;
    default:
      return type;
  }
}

function itemLine({ kind, role, name, status, parts }: Item): string {
  const said = parts.map(partLine).filter((line) => line !== "");
  const failed = status === "failed" ? ["failed"] : [];
  if (role === "user") return ["prompt", ...said].join(" ");
  if (kind === "message") return ["message ends", ...failed, ...said].join(" ");
  return [kind, ...(name === null ? [] : [name]), ...failed, ...said].join(" ");
}

function partLine(part: Part): string {
  switch (part.type) {
    case "text":
      return `'${part.text}'`;
    case "reasoning":
      return `thought '${part.text}'`;
    case "file":
      return `${part.path} ${part.change}${part.diff === null ? "" : " with diff"}`;
    case "tool_result":
      return part.rejected ? "refused" : "";
    case "image":
      return `image ${part.mime}`;
    default:
      return "";
  }
}
