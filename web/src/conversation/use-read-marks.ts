/** Marks messages to the person as read while the page is visible. */
import { useEffect, useState } from "react";
import type { Message } from "waybill/client";
import { client } from "../live/client.ts";
import { refresh } from "../live/queries.ts";

const marked = new Set<string>();

export function useReadMarks(messages: readonly Message[]): void {
  const isInFront = usePageInFront();
  useEffect(() => {
    if (!isInFront) return;
    const ids = messages.filter(isUnread).map(({ id }) => id);
    if (ids.length === 0) return;
    for (const id of ids) marked.add(id);
    client.markRead({ ids }).then(
      () => refresh("unread"),
      () => {
        for (const id of ids) marked.delete(id);
      },
    );
  }, [messages, isInFront]);
}

function isUnread({ id, to, readAt }: Message): boolean {
  return "person" in to && to.person === "user" && readAt === null && !marked.has(id);
}

function usePageInFront(): boolean {
  const [isInFront, setInFront] = useState(!document.hidden);
  useEffect(() => {
    const look = () => setInFront(!document.hidden);
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  return isInFront;
}
