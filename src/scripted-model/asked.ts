/** What a request asks, in the same words for both APIs. All of it follows from the request: nothing is remembered. */

export type Row = { role: "system" | "user" | "assistant" | "tool"; text: string; callIds?: readonly string[] };

export type Asked = {
  api: "openai" | "anthropic";
  model: string;
  stream: boolean;
  /** OpenAI sends the usage of a stream only to those who ask for it. */
  wantsUsage: boolean;
  tools: readonly string[];
  system: string;
  /** The newest text of the user. */
  prompt: string;
  /** What the user said before it. */
  earlier: string;
  /** How many answers it has got already: each was followed by results of tools, and another call. */
  answered: number;
  /** Of the tools that the newest of these answers called. */
  callIds: readonly string[];
  /** The newest result of a tool in this turn. */
  result: string;
  /** Characters, to estimate tokens from. */
  size: number;
};

export type AskedDetails = Pick<Asked, "api" | "model" | "stream" | "wantsUsage" | "tools" | "size">;

export function askedFrom(rows: readonly Row[], details: AskedDetails): Asked {
  const newest = rows.findLastIndex((row) => row.role === "user");
  const answers = rows.slice(newest + 1).filter((row) => row.role === "assistant");
  return {
    ...details,
    system: rows.flatMap((row) => (row.role === "system" ? [row.text] : [])).join("\n"),
    prompt: newest === -1 ? "" : withoutReminders(rows[newest]?.text ?? ""),
    earlier: rows.flatMap((row, place) => (row.role === "user" && place < newest ? [row.text] : [])).join("\n"),
    answered: answers.length,
    callIds: answers.at(-1)?.callIds ?? [],
    result: rows.slice(newest + 1).findLast((row) => row.role === "tool")?.text ?? "",
  };
}

/** Agent programs put notes of their own beside the user's text; a text that is nothing but a note stays. */
function withoutReminders(text: string): string {
  return text.replace(/<system-reminder>.*?<\/system-reminder>/gs, "").trim() || text.trim();
}

/** Content is a text, or parts of which some are texts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((part) => (typeof part?.text === "string" ? [part.text] : [])).join("\n");
}
