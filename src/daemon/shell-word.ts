/** A path as one word of a command line, so that what an error or a hint proposes can be pasted into a shell. */
export function shellWord(text: string): string {
  return /^[\w./+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
