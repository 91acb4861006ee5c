/**
 * Lanes whose client cannot answer questions; kept in memory only. Lanes can be removed without this API noticing, so
 * removed lanes are dropped whenever the set has doubled in size.
 */
import { AppError } from "../../../platform/app-error.ts";
import type { Service } from "../../../service/service.ts";

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

/** `after` is a cursor from before the prompt was sent: its agent may ask immediately. */
type Prompted = { lane: string; after: string; signal: AbortSignal };

/**
 * For a client that cannot answer questions, such as `opencode run`: a question would keep it waiting for its answer
 * forever, so it is rejected on the client's behalf. Runs until `signal` is aborted.
 */
export async function refuseQuestions(
  service: Pick<Service, "answer" | "follow">,
  { lane, after, signal }: Prompted,
): Promise<void> {
  for await (const item of service.follow({ after, lane, types: ["question.requested"], signal })) {
    if (item.type !== "event" || item.event.type !== "question.requested") continue;
    try {
      await service.answer(item.event.data.ask, { decision: "reject" });
    } catch (error) {
      // Someone else has answered it.
      if (!(error instanceof AppError) || error.code !== "ask_unknown") throw error;
    }
  }
}
