/** Quotes text for a shell, so that a command in an error or a hint can be pasted. */
export function shellQuote(text: string): string {
  return /^[\w./+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
