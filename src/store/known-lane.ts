/** Finds a lane by its id, or throws an error that lists the known lanes. */

import type { Lane } from "../core/lane/lane.ts";
import { AppError } from "../platform/app-error.ts";
import type { LaneStore } from "./port.ts";

export async function knownLane(store: Pick<LaneStore, "lane" | "lanes">, id: string): Promise<Lane> {
  const lane = await store.lane(id);
  if (lane) return lane;
  throw laneUnknown(id, await store.lanes());
}

export function laneUnknown(id: string, lanes: readonly Lane[]): AppError {
  const ids = lanes.map((lane) => lane.id).join(", ");
  return new AppError({
    code: "lane_unknown",
    message: `There is no lane "${id}".`,
    hint: ids === "" ? "No lane has been set up yet." : `Known lanes: ${ids}.`,
  });
}
