/**
 * The last words of a turn, and the removal of everything that is not text: invisible characters, reasoning that a
 * model wrote into its answer, tool calls and control tokens as text, placeholders of a program. The rest is judged,
 * and is what a person gets; an empty rest means that the agent said nothing. Code stays as written: an answer may
 * well be about such tags.
 *
 * Every step reads the text a fixed number of times, so the running time is linear in its length.
 */
import type { TranscriptRow } from "./transcript.ts";
import { removedBlocks } from "./written-out-blocks.ts";

export type LastWords = {
  /** As a person gets them. */
  text: string;
  /** As the program stored them. */
  raw: string;
};

/**
 * The texts a turn ended with, newest last: those of its last step that has any. A text between two tool calls is not
 * an answer; a text in the same step as the last tool call is, if only an empty step follows.
 */
export function lastWordsOf(rows: readonly TranscriptRow[]): LastWords[] {
  const finals = rows.filter(isFinal).map(wordsOf);
  const besideTool = wordsBesideLastTool(rows);
  return [...(besideTool ? [besideTool] : []), ...finals].filter(({ text }) => text !== "");
}

/** Null unless only steps without text and tool calls follow it. */
function wordsBesideLastTool(rows: readonly TranscriptRow[]): LastWords | null {
  const place = rows.findLastIndex((row) => row.tools.length > 0 || wordsOf(row).text !== "");
  const row = rows[place];
  const following = rows.slice(place + 1);
  if (!row || row.error !== null || row.completedAt === null || row.tools.length === 0 || isFinal(row)) return null;
  return following.length > 0 && following.every(isFinal) ? wordsOf(row) : null;
}

function wordsOf({ text }: TranscriptRow): LastWords {
  return { text: cleanText(text), raw: text };
}

/** A row that ended its turn. A row that ended in tool calls was followed, or should have been, by another. */
function isFinal(row: TranscriptRow): boolean {
  return row.completedAt !== null && row.error === null && row.finish !== "tool-calls";
}

export function cleanText(raw: string): string {
  const visible = withoutInvisible(raw);
  const blocks = mayHoldBlock.test(visible) ? removedBlocks(visible) : [];
  const spoken = withoutRanges(visible, blocks)
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return !hasSign.test(spoken) || onlyDots.test(spoken) || isPlaceholder(spoken) || isBareCall(spoken) ? "" : spoken;
}

/** The characters that start every tag, token and fence; most texts contain none of them. */
const mayHoldBlock = /[<[◁`~]/u;

/** A letter, a digit, punctuation or a symbol. Combining marks and format characters alone say nothing. */
const hasSign = /[\p{L}\p{N}\p{P}\p{S}]/u;

const onlyDots = /^[.…。·‥\-–—_*\s]+$/u;

// Terminal escape sequences, with their parameters.
const terminalSequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
  /\u001b(?:\[[0-9;?]{0,40}[ -/]{0,4}[@-~]|\][^\u0007\u001b]{0,200}(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
// Control characters, lone surrogates, and letters and symbols that render as nothing.
const unprintable =
  /(?![\n\t])\p{Cc}|\p{Cs}|\p{Noncharacter_Code_Point}|[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffc]/gu;
// Joiners spell words in some scripts, and combine several emoji into one.
const format =
  /(?<![\p{L}\p{M}])\u200c|\u200c(?!\p{L})|(?<![\p{L}\p{M}\p{S}])\u200d|\u200d(?![\p{L}\p{S}])|(?![\u200c\u200d])\p{Cf}/gu;
const loneSelector = /(?<![\p{L}\p{S}\p{N}#*])[\ufe00-\ufe0f]/gu;

function withoutInvisible(raw: string): string {
  return raw
    .replace(/\r\n?/g, "\n")
    .replace(terminalSequence, "")
    .replace(unprintable, "")
    .replace(format, "")
    .replace(loneSelector, "");
}

function withoutRanges(text: string, ranges: readonly { start: number; end: number }[]): string {
  const kept: string[] = [];
  let from = 0;
  for (const { start, end } of ranges) {
    kept.push(text.slice(from, Math.max(from, start)));
    from = Math.max(from, end);
  }
  return [...kept, text.slice(from)].join("");
}

const longestPlaceholder = 80;
// What programs write if an agent wrote nothing. Only in brackets: without them such words may be an answer.
const placeholder =
  /^[([<{*_]+(?:no (?:content|response|output|text|message|answer|reply|visible output|response requested|text content|text output)|empty(?: (?:response|message|turn|content|output))?|(?:response|content|message|output) (?:is )?(?:empty|omitted|blank)|blank|none|null|request interrupted by user[^\])]{0,40}|interrupted(?: by user)?|tool (?:use|call)[^\])]{0,30}|(?:object )?object|silence|nothing)[.!]?[)\]>}*_]+\.?$/i;
const programsOwn = /^no response requested\.?$|^\[object object\]$/i;

function isPlaceholder(text: string): boolean {
  return text.length <= longestPlaceholder && (placeholder.test(text) || programsOwn.test(text));
}

const callKeys = new Set([
  "id",
  "type",
  "tool",
  "tool_name",
  "name",
  "function",
  "arguments",
  "parameters",
  "args",
  "input",
]);
const longestCall = 20_000;

/** Only the JSON of a tool call, or the lines older agents used to request one. */
function isBareCall(text: string): boolean {
  if (text.length > longestCall) return false;
  if (/^(?:thought:[^\n]*\n+)?action:[^\n]*\n+action input:/i.test(text)) return !/\n\s*(?:final )?answer:/i.test(text);
  if (!/^[[{]/.test(text)) return false;
  try {
    const parsed: unknown = JSON.parse(text);
    const calls = Array.isArray(parsed) ? parsed : [parsed];
    return calls.length > 0 && calls.every(isCall);
  } catch {
    return false;
  }
}

function isCall(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const {
    name,
    tool,
    tool_name,
    function: called,
    arguments: given,
    parameters,
    args,
    input,
  } = value as Record<string, unknown>;
  if (typeof called === "object" && called !== null) return isCall(called);
  const isNamed = [name, tool, tool_name, called].some((one) => typeof one === "string");
  const hasInput = [given, parameters, args, input].some((one) => typeof one === "object" || typeof one === "string");
  return isNamed && hasInput && Object.keys(value).every((key) => callKeys.has(key));
}
