/** The latest of several moments, some of which may not have come. Pure. */
export function latest(...times: readonly (number | null)[]): number | null {
  return times.reduce((newest, time) => (newest === null || (time !== null && time > newest) ? time : newest), null);
}
