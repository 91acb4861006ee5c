import type { Message } from "waybill/client";

/** Senders choose ids, so two mailboxes may contain the same one. */
export function keyOf({ id, to }: Pick<Message, "id" | "to">): string {
  return `${id} ${Object.values(to).join("/")}`;
}
