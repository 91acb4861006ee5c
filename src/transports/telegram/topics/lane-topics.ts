/** The topics that a lane concerns: the one whose agent works in it, and those that are bound to it. */
import { AppError } from "../../../app-error.ts";
import type { TelegramContext } from "../telegram-context.ts";
import type { Topic } from "./topic.ts";

export async function topicsOfLane(
  lane: string,
  { topics, service }: Pick<TelegramContext, "topics" | "service">,
): Promise<Topic[]> {
  const own = topics.ofLane(lane);
  const found = new Map<string, Topic>(own ? [[own.key, own]] : []);
  for (const topic of topics.all()) {
    if (topic.boundTo && (await laneOfBinding(topic.boundTo, service)) === lane) found.set(topic.key, topic);
  }
  return [...found.values()];
}

async function laneOfBinding(
  bound: NonNullable<Topic["boundTo"]>,
  service: TelegramContext["service"],
): Promise<string | null> {
  if ("lane" in bound) return bound.lane;
  try {
    const { members } = await service.team(bound.team);
    return members.find(({ name }) => name === bound.member)?.lane ?? null;
  } catch (error) {
    // The team was removed.
    if (error instanceof AppError) return null;
    throw error;
  }
}
