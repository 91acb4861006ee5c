/** The topics that a lane concerns: the one whose agent works in it, and those bound to it. */
import { AppError } from "../../../platform/app-error.ts";
import type { TelegramContext } from "../telegram-context.ts";
import type { Topic } from "../topics/topic.ts";

export async function concernedTopics(
  laneId: string,
  { service, topics }: Pick<TelegramContext, "service" | "topics">,
): Promise<Topic[]> {
  const own = topics.ofLane(laneId);
  const bound = topics.boundTo(await membershipOf(laneId, service));
  return [...new Set([...(own && own.boundTo === null ? [own] : []), ...bound])];
}

async function membershipOf(laneId: string, service: TelegramContext["service"]) {
  try {
    return (await service.lane(laneId)).lane;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "lane_unknown") throw error;
    // The lane was removed, but topics may still be bound to it by name.
    return { id: laneId, team: null, member: null };
  }
}
