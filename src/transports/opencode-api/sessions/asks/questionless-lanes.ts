/**
 * Lanes whose client has said that nobody there answers questions; forgotten when the daemon ends. Lanes are also removed
 * past this API, and nothing here hears of it: so those that are gone are looked for whenever there are twice as many.
 */
import type { Service } from "../../../../service/service.ts";

export type QuestionlessLanes = {
  has(laneId: string): boolean;
  add(laneId: string): Promise<void>;
  delete(laneId: string): void;
};

const few = 100;

export function questionlessLanes(service: Pick<Service, "lanes">): QuestionlessLanes {
  const lanes = new Set<string>();
  let lookFrom = few;
  const forgetGone = async () => {
    // Not those that are made while the list is read.
    const before = [...lanes];
    const there = new Set((await service.lanes()).map(({ lane }) => lane.id));
    for (const id of before) if (!there.has(id)) lanes.delete(id);
  };
  return {
    has: (laneId) => lanes.has(laneId),
    async add(laneId) {
      lanes.add(laneId);
      if (lanes.size <= lookFrom) return;
      lookFrom = Number.POSITIVE_INFINITY;
      try {
        await forgetGone();
      } finally {
        lookFrom = Math.max(few, 2 * lanes.size);
      }
    },
    delete: (laneId) => void lanes.delete(laneId),
  };
}
