/** Where a message is that a link names. Pure. */
import type { Message } from "waybill/client";
import { conversationsOf } from "../../live/conversation-id.ts";

export type MessageLocation = { in: "this" } | { in: "other"; conversation: string } | { in: "none" };

/** `found`: all messages with the id of the link. Several conversations may have one. */
export function locate(
  found: readonly Pick<Message, "lane" | "member">[],
  conversation: string,
): Readonly<MessageLocation> {
  const places = found.flatMap(conversationsOf);
  if (places.includes(conversation)) return { in: "this" };
  const [other] = places;
  return other === undefined ? { in: "none" } : { in: "other", conversation: other };
}
