/** The items of a turn as displayable steps: calls with their results, subagents below their call. Pure. */
import { groupBy } from "../group-by.ts";
import type { ShownItem } from "../live/turns.ts";
import type { AskedQuestions } from "./parts/asked-questions.ts";
import { questionsOf } from "./parts/asked-questions.ts";

export type Step =
  /** `isLast`: the final text of its message, which is the answer if the message is one. */
  | { type: "text"; key: string; item: ShownItem; text: string; isLast: boolean }
  | { type: "reasoning"; key: string; item: ShownItem; text: string }
  | { type: "tool"; key: string; call: ShownItem; result: ShownItem | null; below: Step[] }
  | { type: "question"; key: string; call: ShownItem; result: ShownItem | null; asked: AskedQuestions }
  | { type: "files"; key: string; item: ShownItem }
  | { type: "plan"; key: string; item: ShownItem }
  | { type: "image"; key: string; mime: string; name: string | null }
  | { type: "status"; key: string; item: ShownItem };

/** `asked`: the questions that calls asked. */
export function stepsOf(items: readonly ShownItem[], asked: ReadonlyMap<string, AskedQuestions> = new Map()): Step[] {
  const results = new Map(items.filter(({ kind }) => kind === "tool_result").map((item) => [item.parent, item]));
  const byId = new Map(items.map((item) => [item.id, item]));
  /** By the call that a subagent works for; null for the agent itself. */
  const byCall = groupBy(items, (item) => callOf(item, byId));
  const steps = (call: string | null): Step[] =>
    (byCall.get(call) ?? []).flatMap((item) => itemSteps(item, { results, asked, stepsBelow: steps }));
  return steps(null);
}

/** The call whose subagent an item belongs to; calls and results belong where their message does. */
function callOf(item: ShownItem, byId: ReadonlyMap<string, ShownItem>): string | null {
  if (item.kind === "tool_result") return null;
  const parent = item.parent;
  if (parent === null) return null;
  if (item.kind === "message") {
    const call = [parent, `call:${parent}`].find((id) => byId.get(id)?.kind === "tool_call");
    return call ?? null;
  }
  const message = byId.get(parent);
  return message ? callOf(message, byId) : null;
}

type StepInput = {
  results: ReadonlyMap<string | null, ShownItem>;
  asked: ReadonlyMap<string, AskedQuestions>;
  stepsBelow: (call: string) => Step[];
};

function itemSteps(item: ShownItem, { results, asked, stepsBelow }: StepInput): Step[] {
  switch (item.kind) {
    case "message":
      return item.role === "user" && item.parent === null ? [] : wordSteps(item);
    case "tool_call": {
      const questions = questionsOf(item, asked);
      const call = { key: item.id, call: item, result: results.get(item.id) ?? null };
      if (questions) return [{ type: "question", ...call, asked: questions }];
      return [{ type: "tool", ...call, below: stepsBelow(item.id) }];
    }
    case "tool_result":
      return [];
    case "file_change":
      return [{ type: "files", key: item.id, item }];
    case "plan":
      return [{ type: "plan", key: item.id, item }];
    case "status":
      return [{ type: "status", key: item.id, item }];
    default:
      return item.kind satisfies never;
  }
}

function wordSteps(item: ShownItem): Step[] {
  const lastText = item.parts.findLastIndex(({ type }) => type === "text");
  return item.parts.flatMap((part, index): Step[] => {
    const key = `${item.id} ${index}`;
    if (part.type === "text")
      return part.text.trim() === "" ? [] : [{ type: "text", key, item, text: part.text, isLast: index === lastText }];
    if (part.type === "reasoning")
      return part.text.trim() === "" ? [] : [{ type: "reasoning", key, item, text: part.text }];
    if (part.type === "image") return [{ type: "image", key, mime: part.mime, name: part.name }];
    return [];
  });
}
