/** Words on a terminal: colours only where they are wanted, and never a control sequence that an agent wrote. */
import { stripVTControlCharacters, styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

export function paintFor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): Paint {
  const wanted = (env.FORCE_COLOR ?? "") !== "" && env.FORCE_COLOR !== "0";
  const unwanted = (env.NO_COLOR ?? "") !== "" || env.TERM === "dumb";
  const colours = !unwanted && (wanted || stream.isTTY === true);
  // By itself it would look at standard output, whatever stream this is for.
  return (style, text) => (colours ? styleText(style, text, { validateStream: false }) : text);
}

/**
 * What somebody else wrote, safe to print: no escape sequences, no control characters but line breaks and tabs, and
 * nothing that turns the text around, so that a command is read in the order in which it runs.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
  const unwanted = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
  return stripVTControlCharacters(text).replace(unwanted, "");
}
