/** The directories that the tools of a lane's agent must not touch: Waybill's own state, and other lanes' directories. */
import { realpathSync } from "node:fs";
import type { Lane } from "../../core/lane/lane.ts";
import type { Permissions } from "../../runtimes/descriptor.ts";

export async function deniedDirectories(
  lane: Lane,
  { home, storedLanes }: { home: string; storedLanes: () => Promise<readonly Lane[]> },
): Promise<Omit<Permissions, "policy">> {
  const others = (await storedLanes()).filter(({ id }) => id !== lane.id);
  return { stateDirectories: namesOf(home), otherDirectories: others.map(({ directory }) => directory) };
}

/** Programs compare paths as written, so a path through symlinks is denied under both names. */
export function namesOf(path: string): string[] {
  return [...new Set([path, realpathSync(path)])];
}
