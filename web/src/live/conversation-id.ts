/**
 * A conversation is identified by its lane's id, or by `team/member` for a member that Waybill does not run. Lane ids
 * contain no slash. Pure.
 */
import type { Message, NewMessage } from "waybill/client";

export function memberConversation({ team, name }: { team: string; name: string }): string {
  return `${team}/${name}`;
}

export function isWithLane(conversation: string): boolean {
  return !conversation.includes("/");
}

/** Which messages belong to it. */
export function filterOf(conversation: string): { lane: string } | { member: string } {
  return isWithLane(conversation) ? { lane: conversation } : { member: conversation };
}

/** Where a message to it goes. */
export function addressOf(conversation: string): NewMessage["to"] {
  const [team = "", member = ""] = conversation.split("/");
  return isWithLane(conversation) ? { lane: conversation } : { team, member };
}

/** The conversations of a message: an agent may write to a member that Waybill does not run. */
export function conversationsOf({ lane, member }: Pick<Message, "lane" | "member">): string[] {
  return [...(lane === null ? [] : [lane]), ...(member === null ? [] : [memberConversation(member)])];
}

/** Of a link to it. */
export function placeOf(conversation: string) {
  const [team = "", name = ""] = conversation.split("/");
  return isWithLane(conversation)
    ? ({ to: "/lanes/$lane", params: { lane: conversation } } as const)
    : ({ to: "/members/$team/$name", params: { team, name } } as const);
}
