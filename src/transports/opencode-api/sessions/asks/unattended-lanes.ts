/**
 * Lanes whose client cannot answer questions; kept in memory only. Lanes can be removed without this API noticing, so
 * removed lanes are dropped whenever the set has doubled in size.
 */
import type { Service } from "../../../../service/service.ts";

export type UnattendedLanes = {
  has(laneId: string): boolean;
  add(laneId: string): Promise<void>;
  delete(laneId: string): void;
};

const minCleanup = 100;

export function unattendedLanes(service: Pick<Service, "lanes">): UnattendedLanes {
  const lanes = new Set<string>();
  let cleanupAbove = minCleanup;
  const dropRemoved = async () => {
    // Leaves out lanes that are added while the list is read.
    const before = [...lanes];
    const existing = new Set((await service.lanes()).map(({ lane }) => lane.id));
    for (const id of before) if (!existing.has(id)) lanes.delete(id);
  };
  return {
    has: (laneId) => lanes.has(laneId),
    async add(laneId) {
      lanes.add(laneId);
      if (lanes.size <= cleanupAbove) return;
      cleanupAbove = Number.POSITIVE_INFINITY;
      try {
        await dropRemoved();
      } finally {
        cleanupAbove = Math.max(minCleanup, 2 * lanes.size);
      }
    },
    delete: (laneId) => void lanes.delete(laneId),
  };
}
