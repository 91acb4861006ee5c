/**
 * Finds reasoning, tool calls and control tokens that a model wrote out as text, in the forms that common models use.
 * Code is left alone, and so are tags that a sentence only mentions. Pure.
 */

export type Range = { start: number; end: number };

type Kind = "reasoning" | "call";
/** `drop`: a token that neither opens nor closes anything. */
type Mark = Range & { does: "open" | "close" | "drop"; kind: Kind; isToken: boolean };

const reasoning =
  "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|inner_monologue|seed:think|antml:thinking";
const call =
  "tool_calls?|tool_use|tool_code|tool_response|tool_results?|function_calls?|function_results?|functioncall|invoke|use_mcp_tool|antml:function_calls|antml:invoke|minimax:tool_call";

// Lengths are bounded, so that a text full of brackets takes no longer than any other.
const mark = new RegExp(
  [
    `<(?<close>/?)(?:(?<reasoning>${reasoning})|(?<call>${call}))(?:[ \\t][^<>\\n]{0,300})?(?<single>/?)>`,
    "<(?<functionClose>/?)function(?:=[^<>\\n]{1,100})?>",
    "[◁](?<arrowClose>/?)think[▷]",
    "\\[(?<squareClose>/?)THINK\\]",
    "(?<aside><\\|channel\\|>(?:analysis|commentary)[^<]{0,80}(?:<\\|constrain\\|>[^<]{0,20})?<\\|message\\|>)",
    "(?<final><\\|channel\\|>final[^<]{0,40}<\\|message\\|>)",
    "(?<role><\\|(?:im_start|start|start_header_id)\\|>(?:assistant|user|system|model|tool)?)",
    "<[|｜](?<token>[a-z0-9_▁.:/ -]{1,60})[|｜]>",
    "(?<calls>\\[TOOL_CALLS?\\])",
    "(?<plain></?s>|<(?:bos|eos|pad|unk|end_of_turn|end_of_text|start_of_turn>(?:model|user)?)>?|\\[/?INST\\]|<</?SYS>>)",
  ].join("|"),
  "giu",
);

/** In text order, without overlaps. */
export function removedBlocks(text: string): Range[] {
  const code = codeRanges(text);
  const marks = marksIn(text, code.kept);
  return [...foldMarks(text, marks), ...code.calls].sort((one, other) => one.start - other.start);
}

function marksIn(text: string, code: readonly Range[]): Mark[] {
  const marks: Mark[] = [];
  let next = 0;
  for (const match of text.matchAll(mark)) {
    const start = match.index;
    while ((code[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next += 1;
    if ((code[next]?.start ?? Number.POSITIVE_INFINITY) <= start) continue;
    marks.push({ start, end: start + match[0].length, ...meaning(match.groups ?? {}) });
  }
  return marks;
}

function meaning(groups: Record<string, string | undefined>): Pick<Mark, "does" | "kind" | "isToken"> {
  const is = (does: Mark["does"], kind: Kind, isToken = false) => ({ does, kind, isToken });
  const by = (slash: string | undefined, kind: Kind) => is(slash === "/" ? "close" : "open", kind);
  if (groups.reasoning !== undefined || groups.call !== undefined) {
    const kind = groups.reasoning === undefined ? "call" : "reasoning";
    return groups.single === "/" ? is("drop", kind) : by(groups.close, kind);
  }
  if (groups.functionClose !== undefined) return by(groups.functionClose, "call");
  if (groups.arrowClose !== undefined) return by(groups.arrowClose, "reasoning");
  if (groups.squareClose !== undefined) return by(groups.squareClose, "reasoning");
  if (groups.aside !== undefined) return is("open", "reasoning", true);
  if (groups.final !== undefined) return is("close", "reasoning", true);
  if (groups.calls !== undefined) return is("open", "call", true);
  return groups.token === undefined ? is("drop", "call") : meaningOfToken(groups.token.toLowerCase());
}

/** `<|name|>`, with either kind of bar. */
function meaningOfToken(name: string): Pick<Mark, "does" | "kind" | "isToken"> {
  if (/^(?:python_tag|action_start|plugin)$|(?:tool|function).*(?:begin|start)$|^tool_calls?$/.test(name)) {
    return { does: "open", kind: "call", isToken: true };
  }
  if (/(?:tool|function).*end$|^action_end$/.test(name)) return { does: "close", kind: "call", isToken: true };
  if (/^(?:end|return|call|eom|eom_id)$/.test(name)) return { does: "close", kind: "reasoning", isToken: true };
  return { does: "drop", kind: "call", isToken: true };
}

/** A shorter text between two marks in the middle of a line is a sentence that mentions them. */
const shortestAside = 12;

function foldMarks(text: string, marks: readonly Mark[]): Range[] {
  const removed: Range[] = [];
  const open: Mark[] = [];
  /** How many of each kind are open, so that an unmatched mark does not trigger a search through all of them. */
  const depth = { reasoning: 0, call: 0 };
  for (const one of marks) {
    if (one.does === "open") {
      depth[one.kind] += 1;
      open.push(one);
    } else if (one.does === "drop") {
      if (open.length === 0) removed.push(one);
    } else if (depth[one.kind] > 0) {
      const [first] = open;
      let closed: Mark | undefined;
      do {
        closed = open.pop();
        if (closed) depth[closed.kind] -= 1;
      } while (closed && closed.kind !== one.kind);
      const follows = first?.start === removed.at(-1)?.end;
      if (first && open.length === 0 && (follows || isBlock(text, first, one))) {
        removed.push({ start: first.start, end: one.end });
      }
    } else if (open.length === 0) closeUnopened(text, one, removed);
  }
  const unclosed = open.find((one) => one.isToken || isAtLineStart(text, one.start));
  return unclosed ? [...removed, { start: unclosed.start, end: text.length }] : removed;
}

function closeUnopened(text: string, one: Mark, removed: Range[]): void {
  if (!one.isToken && !isAtLineStart(text, one.start) && !endsLine(text, one.end)) return;
  // The model's own template opened this reasoning: everything before the mark is reasoning.
  const isThought = one.kind === "reasoning" && !one.isToken;
  if (isThought) removed.length = 0;
  removed.push({ start: isThought ? 0 : one.start, end: one.end });
}

function isBlock(text: string, first: Mark, last: Mark): boolean {
  if (first.isToken || isAtLineStart(text, first.start)) return true;
  return text.slice(first.end, last.start).trim().length >= shortestAside;
}

const widestIndent = 40;

function isAtLineStart(text: string, place: number): boolean {
  const before = text.slice(Math.max(0, place - widestIndent), place);
  return before.slice(before.lastIndexOf("\n") + 1).trim() === "";
}

function endsLine(text: string, place: number): boolean {
  const after = text.slice(place, place + widestIndent);
  return (after.split("\n")[0] ?? "").trim() === "";
}

/** Fenced and inline code, in order. A fence that a model opened to call a tool is a call. */
function codeRanges(text: string): { kept: Range[]; calls: Range[] } {
  const kept: Range[] = [];
  const calls: Range[] = [];
  let fence: { sign: string; start: number; isCall: boolean } | null = null;
  let start = 0;
  for (const line of text.split("\n")) {
    const end = start + line.length;
    const [, sign = null, language = ""] = /^[ \t]{0,3}(`{3}|~{3})`*[ \t]*([\w:-]*)/.exec(line) ?? [];
    if (fence !== null) {
      if (sign === fence.sign) {
        (fence.isCall ? calls : kept).push({ start: fence.start, end });
        fence = null;
      }
    } else if (sign !== null) fence = { sign, start, isCall: /^(?:tool_code|tool_call|tool_calls)$/.test(language) };
    else
      for (const match of line.matchAll(/(`+)[^`]+\1/g))
        kept.push({ start: start + match.index, end: start + match.index + match[0].length });
    start = end + 1;
  }
  if (fence !== null) (fence.isCall ? calls : kept).push({ start: fence.start, end: text.length });
  return { kept, calls };
}
