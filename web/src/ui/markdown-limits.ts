/**
 * What may be parsed as markdown. Some texts take a parser minutes or overflow its stack, and any sender can write
 * them. Normal texts stay far below these limits. Pure.
 */
const maxCharacters = 16_000;
/** Of opening and closing characters. */
const maxMarks = 1500;
/** Nested quotes and lists at the beginning of a line. */
const tooDeep = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))){16}/m;
/** Of one mark; a rule of a hundred dashes is harmless. */
const tooLong = /([*_~`[\]<!\\])\1{199}/;
const mark = /[*_~`[\]<!\\|]/g;

export function isFormattable(block: string): boolean {
  if (block.length > maxCharacters) return false;
  return (block.match(mark)?.length ?? 0) <= maxMarks && !tooDeep.test(block) && !tooLong.test(block);
}
