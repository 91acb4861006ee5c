/**
 * The message that a link names. If it is not loaded, the daemon is asked where it is first: only if it is in this
 * conversation, older messages are loaded until it is there.
 */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { Conversation } from "../../live/conversations.ts";
import { loadOlder } from "../../live/conversations.ts";
import { messagesWithIdQuery } from "../../live/queries.ts";
import type { Entry } from "../timeline.ts";
import type { MessageLocation } from "./message-location.ts";
import { locate } from "./message-location.ts";

/** `location` is null until it is known. */
export type Marked = { id: string; location: MessageLocation | null; error: unknown };

/** Null if the link names no message. */
export function useMarked(
  conversationId: string,
  messageId: string | null,
  { state, messages }: Conversation,
): Marked | null {
  const isLoaded = hasLoaded(messages, messageId);
  const enabled = messageId !== null && state === "ready" && !isLoaded;
  const { data: found, error } = useQuery({ ...messagesWithIdQuery(messageId ?? ""), enabled });
  if (messageId === null) return null;
  if (isLoaded) return { id: messageId, location: { in: "this" }, error: null };
  return { id: messageId, location: found ? locate(found, conversationId) : null, error };
}

/** Whether the reader is where they would be without the link. */
export function isLost(marked: Marked | null): boolean {
  return marked !== null && (marked.error !== null || (marked.location !== null && marked.location.in !== "this"));
}

type ShowInput = {
  conversationId: string;
  marked: Marked | null;
  entries: readonly Entry[];
  conversation: Conversation;
  show: (index: number) => void;
};

/** Loads older messages until it is there, and scrolls to it once. */
export function useShowMarked({ conversationId, marked, entries, conversation, show }: ShowInput): void {
  const shown = useRef<string | null>(null);
  useEffect(() => {
    const { state, messages, olderCursor, olderError } = conversation;
    if (marked?.location?.in !== "this" || shown.current === marked.id || state !== "ready") return;
    const index = entries.findIndex((entry) => hasMessage(entry, marked.id));
    if (index >= 0) {
      shown.current = marked.id;
      show(index);
    } else if (olderCursor !== null && olderError === null && !hasLoaded(messages, marked.id)) {
      void loadOlder(conversationId);
    }
  }, [conversationId, marked, entries, conversation, show]);
}

function hasLoaded(messages: Conversation["messages"], messageId: string | null): boolean {
  return messages.some(({ id }) => id === messageId);
}

function hasMessage(entry: Entry, id: string): boolean {
  if (entry.type === "message") return entry.message.id === id;
  return entry.type === "turn" && [...entry.answers.values()].some((message) => message.id === id);
}
