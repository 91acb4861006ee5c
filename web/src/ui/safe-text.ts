/** Agents' output is data. These functions make it safe to show. Pure. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const terminalCodes = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-Z\\-_]/g;
/** Characters that change text direction, and so can make a command read as another one. */
const directionMarks = /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g;
/** Zero-width characters: two texts that look the same may differ by them. */
const invisible = /[\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Terminal output without colours and cursor movements; a carriage return overwrites its line. */
export function terminalText(output: string): string {
  const plain = output.replaceAll(terminalCodes, "").replaceAll("\r\n", "\n");
  const lines = plain.includes("\r") ? plain.split("\n").map((line) => line.slice(line.lastIndexOf("\r") + 1)) : null;
  return (lines?.join("\n") ?? plain).replaceAll(controls, "").replaceAll(directionMarks, "");
}

/** A command or a path that a person decides about: complete, with invisible characters made visible. */
export function exactText(text: string): string {
  const name = (character: string) => `⟨U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  return text
    .replaceAll(directionMarks, name)
    .replaceAll(invisible, name)
    .replaceAll(controls, (character) => (character === "\n" ? character : name(character)));
}

/** For prose. */
export function proseText(text: string): string {
  return text.replaceAll(terminalCodes, "").replaceAll(directionMarks, "").replaceAll(controls, "");
}

export type Excerpt = { text: string; leftOut: number };

/** The first lines, bounded in lines and characters. */
export function beginningOf(text: string, maxLines: number, maxCharacters: number): Excerpt {
  const lines = text.slice(0, maxCharacters).split("\n").slice(0, maxLines);
  const shown = lines.join("\n");
  return { text: shown, leftOut: text.length - shown.length };
}
