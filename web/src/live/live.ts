/**
 * The one stream that keeps the page up to date. It resumes after the last event, even if the daemon was away for a
 * while; nothing is polled.
 */
import type { StreamEvent } from "waybill/client";
import { hasOutcome, WaybillError } from "waybill/client";
import { forgetActivity, onActivity } from "./activity.ts";
import { streamClient } from "./client.ts";
import {
  onDelivery,
  onHandOver,
  onLaneEvent,
  onMessage,
  reloadConversations,
  resumeConversations,
} from "./conversations.ts";
import { beginReads, haveReadsBegun } from "./first-reads.ts";
import { onAlert, onInbox, settleAlerts } from "./notices.ts";
import { asksQuery, queryClient, refresh, refreshDeliveries } from "./queries.ts";
import { readAgain } from "./read-again.ts";
import { createStore } from "./store.ts";

export type Connection = "connecting" | "live" | "offline" | "signed_out";

export const connection = createStore<Connection>("connecting");

const retryMs = 2000;

const listeners = new Set<(event: StreamEvent) => void>();

/** Called with every stream event. Returns a function that unsubscribes. */
export function onStreamEvent(listener: (event: StreamEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Runs as long as the page is open. */
export async function followDaemon(): Promise<void> {
  let after: string | undefined;
  for (;;) {
    try {
      const options = { after, onOpen, onConnected, onError: onLost };
      for await (const event of streamClient.stream(options)) {
        after = event.cursor || after;
        handle(event);
        for (const listener of listeners) listener(event);
      }
    } catch (error) {
      if (error instanceof WaybillError && error.status === 401) return connection.set("signed_out");
      onLost();
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}

/** The stream brings what happens from now on. */
function onOpen(): void {
  if (!beginReads()) startFromHere();
}

/** What was read before may have missed something. */
function startFromHere(): void {
  reloadConversations();
  forgetActivity();
  void readAgain(queryClient, { queryKey: [] });
}

function onLost(): void {
  connection.set("offline");
  beginReads();
}

function onConnected(): void {
  connection.set("live");
  if (!haveReadsBegun()) return;
  resumeConversations();
  // Not everything is reported again: asks, read marks, members' states, a program that has ended; and a read that the
  // last event caused may have failed.
  void readAgain(queryClient, { queryKey: [] });
}

function handle(event: StreamEvent): void {
  settleAlerts(event);
  switch (event.type) {
    case "message":
      onMessage(event.message);
      refresh("unread", "lanes", "pending", "recent");
      return;
    case "delivery":
      onDelivery(event.delivery);
      refreshDeliveries(event.delivery.lane);
      refresh("lanes", "open", "failed", "asks", "pending", "holds");
      if (hasOutcome(event.delivery)) refresh("stats");
      return;
    case "lane":
      refreshDeliveries(event.id);
      return refresh("lanes", "pending", "ready", "runtimes");
    case "team":
    case "member":
      return refresh("teams");
    case "alert":
      onAlert(event.alert);
      return;
    case "inbox":
      onInbox(event);
      onHandOver(event);
      return refresh("teams");
    case "ask":
      return refresh("asks", "lanes");
    case "read":
      return refresh("unread");
    case "reset":
      return startFromHere();
    case "permission.requested":
    case "permission.resolved":
    case "question.requested":
    case "question.resolved":
      refresh("asks", "lanes");
      break;
    case "item.completed":
      if (isAwaitedInput(event)) refresh("asks");
      break;
    // A program is started for a turn, and may end after it.
    case "turn.started":
    case "turn.ended":
      refresh("runtimes");
      break;
    default:
  }
  onLaneEvent(event);
  onActivity(event);
}

/** A program may ask before it has reported its tool's input. */
function isAwaitedInput({ lane, data }: Extract<StreamEvent, { type: "item.completed" }>): boolean {
  const asks = queryClient.getQueryData(asksQuery.queryKey) ?? [];
  return data.item.kind === "tool_call" && asks.some((ask) => ask.lane === lane && ask.input === null);
}
