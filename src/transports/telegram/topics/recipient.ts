/** Who receives a topic's messages: the recipient it is bound to, or the agent in its workspace. */
import type { WrittenAddress } from "../../../core/message/message.ts";
import { memberCalled } from "../../../core/team/team.ts";
import { nullIfRefused } from "../../../platform/app-error.ts";
import type { TelegramContext } from "../telegram-context.ts";
import type { Topic } from "./topic.ts";
import { addressOf, laneTitle, used } from "./topic.ts";

type Context = Pick<TelegramContext, "service" | "settings" | "clock">;

/** Creates the lane when a workspace is used for the first time. */
export async function openRecipient(
  topic: Topic,
  person: string,
  context: Context,
): Promise<{ topic: Topic; to: WrittenAddress }> {
  if (topic.boundTo) return { topic, to: addressOf(topic.boundTo) };
  const opened = await openWorkspace(topic, person, context);
  return { topic: opened.topic, to: { lane: opened.lane } };
}

/** The lane that receives a topic's messages; null before the first one, and for a member that Waybill does not run. */
export async function laneOfTopic(topic: Topic, context: Context): Promise<string | null> {
  const { service } = context;
  if (topic.boundTo === null) {
    const workspace = shownWorkspace(topic, context);
    return topic.workspaces.find(({ path }) => path === workspace)?.lane ?? null;
  }
  const address = addressOf(topic.boundTo);
  if ("lane" in address) return address.lane;
  if (!("team" in address)) return null;
  return memberCalled(await service.team(address.team), address.member)?.lane ?? null;
}

/** Returns the topic with this workspace active, and its lane. Throws an `AppError` that says what is wrong. */
export async function openWorkspace(
  topic: Topic,
  person: string,
  context: Context,
  path?: string,
): Promise<{ topic: Topic; lane: string }> {
  const { service, settings, clock } = context;
  const wanted = path ?? topic.activeWorkspace ?? settings.defaultWorkspace;
  const { directory } = await service.workspace(wanted);
  const next = used(topic, directory, clock.now());
  const lane = next.workspaces[0]?.lane ?? "";
  if ((await nullIfRefused(service.lane(lane), "lane_unknown")) === null) {
    const displayName = laneTitle(next, person, directory);
    const unset = { team: null, member: null, runtime: null, agent: null, model: null };
    await service.putLane({ id: lane, displayName, directory, contract: "text", ...unset });
  }
  return { topic: next, lane };
}

/** A topic's workspace, as shown to people. */
export function shownWorkspace(topic: Topic, context: Pick<TelegramContext, "settings">): string {
  return topic.activeWorkspace ?? context.settings.defaultWorkspace;
}
