/** Puts text into a Markdown fence that is longer than any run of backticks in it. */

export function fence(text: string, language = ""): string {
  const longest = (text.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 0);
  const marks = "`".repeat(Math.max(3, longest + 1));
  const body = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return `${marks}${languageWord(language)}\n${body}${marks}`;
}

export function diffFence(diff: string): string {
  return fence(diff, "diff");
}

/** Only the first word: anything else could end the fence's line, or the fence. */
function languageWord(language: string): string {
  return /^[^\s`]+/.exec(language)?.[0] ?? "";
}
