/** What the tools of a lane's agent have no business with: Waybill's own state, and where other lanes work. */
import { realpathSync } from "node:fs";
import type { Lane } from "../../core/lane/lane.ts";

export type DeniedPlaces = { stateDirectories: readonly string[]; otherDirectories: readonly string[] };

export async function deniedPlaces(
  lane: Lane,
  { home, storedLanes }: { home: string; storedLanes: () => Promise<readonly Lane[]> },
): Promise<DeniedPlaces> {
  const others = (await storedLanes()).filter(({ id }) => id !== lane.id);
  return { stateDirectories: namesOf(home), otherDirectories: others.map(({ directory }) => directory) };
}

/** Programs compare paths as they are written, so one that leads through symlinks is denied under both names. */
export function namesOf(path: string): string[] {
  return [...new Set([path, realpathSync(path)])];
}
