/** Names and values under each other; what is not there is left out. Pure. */
import type { Paint } from "./terminal.ts";

/** Values come safe to print: they may be painted, and may have several lines. */
export function fieldLines(fields: readonly (readonly [string, string | null])[], paint: Paint): string[] {
  const there = fields.filter((field): field is readonly [string, string] => field[1] !== null);
  const width = Math.max(0, ...there.map(([name]) => name.length));
  return there.map(([name, value]) => {
    const [first, ...more] = value.split("\n");
    const indented = more.map((line) => `\n${" ".repeat(width + 2)}${line}`).join("");
    return `${paint("dim", name.padEnd(width))}  ${first}${indented}`;
  });
}
