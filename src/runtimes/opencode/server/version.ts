/** Which versions of OpenCode will do. Pure. */

/** Before this one the order of message ids, and not of messages, decided which prompt was answered. */
export const oldestOpencode = "1.18.15";

type Version = { numbers: readonly [number, number, number]; preview: boolean };

/** Reads `1.18.33`, `v1.18.33` and `opencode 1.18.33-beta.2`; null when there is no version in it. */
export function parseVersion(text: string): Version | null {
  const found = /(?:^|[\sv])(\d+)\.(\d+)\.(\d+)(-[0-9a-z.-]+)?/i.exec(text);
  if (!found) return null;
  const [, major, minor, patch, preview] = found;
  return { numbers: [Number(major), Number(minor), Number(patch)], preview: preview !== undefined };
}

/**
 * A preview is older than the version that it leads to. What is no version at all (a build of somebody's own says
 * `local` or `dev`) is taken as new: whoever builds it knows what they have.
 */
export function isTooOld(text: string, oldest: string = oldestOpencode): boolean {
  const version = parseVersion(text);
  const limit = parseVersion(oldest);
  if (!version || !limit) return false;
  for (const [index, number] of limit.numbers.entries()) {
    const difference = (version.numbers[index] ?? 0) - number;
    if (difference !== 0) return difference < 0;
  }
  return version.preview && !limit.preview;
}
