/** All tools, in the order in which they are listed. */
import { memberBriefing, runtimeBootstrapCheckin } from "./briefing.ts";
import { runtimeHeartbeat } from "./heartbeat.ts";
import { messageList } from "./message-list.ts";
import { messageSend } from "./message-send.ts";
import { messageWait } from "./message-wait.ts";
import { notifyPerson } from "./notify-person.ts";
import { teamList } from "./team-list.ts";
import type { Tool } from "./tool.ts";

export const tools: readonly Tool[] = [
  messageSend,
  messageList,
  messageWait,
  memberBriefing,
  teamList,
  notifyPerson,
  runtimeBootstrapCheckin,
  runtimeHeartbeat,
];

export const toolNames: readonly string[] = tools.map(({ name }) => name);

export function findTool(name: string): Tool | undefined {
  return tools.find((tool) => tool.name === name);
}
