/**
 * The HTTP status of the provider's response, which the program puts at the start of an error; undefined without one.
 */
export function apiErrorStatus(message: string): number | undefined {
  const status = Number(/^API Error: (\d{3})\b/.exec(message)?.[1] ?? 0);
  return status >= 400 ? status : undefined;
}
