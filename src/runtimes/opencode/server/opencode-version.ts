/** Decides whether a version of OpenCode is recent enough. Pure. */

/** Older versions chose the prompt to answer by the order of message ids instead of the order of messages. */
export const oldestOpencode = "1.18.15";

/**
 * Reads `1.18.33`, `v1.18.33` and `opencode 1.18.33-beta.2`. A preview is older than its release. Text without a
 * version (`local`, `dev`) comes from a private build and is accepted.
 */
export function isTooOld(text: string): boolean {
  const [, version, preview] = /(?:^|[\sv])(\d+\.\d+\.\d+)(-[0-9a-z.-]+)?/i.exec(text) ?? [];
  const order = version?.localeCompare(oldestOpencode, "en", { numeric: true }) ?? 1;
  return order < 0 || (order === 0 && preview !== undefined);
}
