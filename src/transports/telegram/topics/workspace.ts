/** Opens a topic's workspace: checks it against the allowed directories, and creates its lane on first use. */
import { AppError } from "../../../platform/app-error.ts";
import type { TelegramContext } from "../telegram-context.ts";
import type { Topic } from "./topic.ts";
import { laneTitle, used } from "./topic.ts";

/** Returns the topic with this workspace active, and its lane. Throws an `AppError` that says what is wrong. */
export async function openWorkspace(
  topic: Topic,
  person: string,
  context: Pick<TelegramContext, "service" | "settings" | "clock">,
  path?: string,
): Promise<{ topic: Topic; lane: string }> {
  const { service, settings, clock } = context;
  const wanted = path ?? topic.activeWorkspace ?? settings.defaultWorkspace;
  const { directory } = await service.workspace(wanted);
  const next = used(topic, directory, clock.now());
  const lane = next.workspaces[0]?.lane ?? "";
  await ensureLane(lane, directory, laneTitle(next, person, directory), context);
  return { topic: next, lane };
}

async function ensureLane(
  id: string,
  directory: string,
  displayName: string,
  { service }: Pick<TelegramContext, "service">,
): Promise<void> {
  try {
    await service.lane(id);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "lane_unknown") throw error;
    const unset = { team: null, member: null, runtime: null, agent: null, model: null };
    await service.putLane({ id, displayName, directory, contract: "text", ...unset });
  }
}

/** A topic's workspace, as shown to people. */
export function shownWorkspace(topic: Topic, context: Pick<TelegramContext, "settings">): string {
  return topic.activeWorkspace ?? context.settings.defaultWorkspace;
}
