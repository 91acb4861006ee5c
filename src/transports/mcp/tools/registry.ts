/** All tools, in the order in which they are listed. */
import { memberBriefing, runtimeBootstrapCheckin, runtimeHeartbeat, teamList } from "./members.ts";
import { messageWait } from "./message-wait.ts";
import { messageList, messageSend, notifyPerson } from "./messages.ts";
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
