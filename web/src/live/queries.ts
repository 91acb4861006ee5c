/** What the page reads from the daemon. The stream invalidates it (live.ts); nothing is polled. */
import { QueryClient, queryOptions } from "@tanstack/react-query";
import type { Delivery, DeliveryDetail, Readiness, Status } from "waybill/client";
import { client } from "./client.ts";
import { withSafeName, withSafeNames } from "./display-names.ts";
import { readsBegun } from "./first-reads.ts";
import { readAgain } from "./read-again.ts";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false, retry: false },
    mutations: { retry: false },
  },
});

/** Sent, and not ended. */
export const openStatuses = [
  "submitting",
  "accepted",
  "unanswered",
  "retry_scheduled",
  "failed_retryable",
] as const satisfies readonly Status[];

export const lanesQuery = queryOptions({
  queryKey: ["lanes"],
  queryFn: async () => (await client.lanes()).lanes.map(withSafeName),
});
export const teamsQuery = queryOptions({
  queryKey: ["teams"],
  queryFn: async () => (await client.teams()).teams.map(withSafeNames),
});
export const asksQuery = queryOptions({ queryKey: ["asks"], queryFn: async () => (await client.asks()).asks });
export const unreadQuery = queryOptions({ queryKey: ["unread"], queryFn: () => client.unread() });
export const versionQuery = queryOptions({ queryKey: ["version"], queryFn: () => client.version() });

/** Deliveries that hold lanes, and since when. */
export const openDeliveriesQuery = queryOptions({
  queryKey: ["open"],
  queryFn: async () => (await client.deliveries({ status: openStatuses, limit: 200 })).deliveries,
});

/** Deliveries that failed for good and wait for a person. */
export const failedDeliveriesQuery = queryOptions({
  queryKey: ["failed"],
  queryFn: async () => (await client.deliveries({ status: ["failed_terminal"], limit: 50 })).deliveries,
});

/** Deliveries that were not sent yet. */
export const waitingDeliveriesQuery = queryOptions({
  queryKey: ["pending"],
  queryFn: async () => (await client.deliveries({ status: ["pending"], limit: 50 })).deliveries,
});

/** The newest messages of all conversations. */
export const recentMessagesQuery = queryOptions({
  queryKey: ["recent"],
  queryFn: async () => (await client.messages({ limit: 50 })).messages,
});

export const deliveryQuery = (id: string) =>
  queryOptions({ queryKey: ["delivery", id], queryFn: () => client.delivery(id) });

/** All deliveries of a lane: what one waits for may change with another, or with the lane. */
export function refreshDeliveries(lane: string): void {
  void readAgain(queryClient, {
    queryKey: ["delivery"],
    predicate: ({ state: { data } }) => data === undefined || (data as DeliveryDetail).lane === lane,
  });
}

/** Read again whenever it is shown: nothing reports its changes. */
const onShow = { staleTime: 0 } as const;

export const readinessQuery = queryOptions({ queryKey: ["ready"], queryFn: readReadiness, ...onShow });
/** With a directory also the models that programs list there. */
export const runtimesQuery = (directory: string | null = null) =>
  queryOptions({
    queryKey: ["runtimes", directory],
    queryFn: async () => (await client.runtimes(directory === null ? {} : { directory })).runtimes,
    ...onShow,
  });
export const holdsQuery = queryOptions({ queryKey: ["holds"], queryFn: async () => (await client.holds()).holds });
export const statsQuery = (days: number) =>
  queryOptions({ queryKey: ["stats", days], queryFn: () => client.stats({ days }), ...onShow });

/** Senders choose ids, so several conversations may have a message with this one. */
export const messagesWithIdQuery = (messageId: string) =>
  queryOptions({
    queryKey: ["message", messageId],
    queryFn: async () => (await client.messages({ messageId })).messages,
    ...onShow,
  });

/** Null: the directories in which lanes may work. */
export const directoriesQuery = (path: string | null) =>
  queryOptions({
    queryKey: ["directories", path],
    queryFn: () => client.directories(path === null ? {} : { path }),
    ...onShow,
  });

/** Waiting deliveries of a lane, in sending order. */
export const pendingQuery = (lane: string) =>
  queryOptions({ queryKey: ["pending", lane], queryFn: () => waitingIn(lane), ...onShow });

const maxPendingPages = 5;

async function waitingIn(lane: string): Promise<{ deliveries: Delivery[]; isCut: boolean }> {
  const deliveries: Delivery[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPendingPages; page++) {
    const answer = await client.deliveries({ lane, status: ["pending"], limit: 200, cursor });
    deliveries.push(...answer.deliveries);
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return { deliveries: deliveries.reverse(), isCut: cursor !== undefined };
}

/** Not with the client: 503 (not ready) is a result here, not an error. */
async function readReadiness(): Promise<Readiness> {
  await readsBegun();
  const response = await fetch(new URL("/ready", client.url));
  if (response.status !== 200 && response.status !== 503)
    throw new Error(`The daemon answered with HTTP status ${response.status}. Reload the page.`);
  return (await response.json()) as Readiness;
}

const pending = new Set<string>();
let isScheduled = false;
/** A burst of changes causes one read. */
const gatherMs = 120;

/** Reads these again, soon. */
export function refresh(...keys: readonly string[]): void {
  for (const key of keys) pending.add(key);
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(() => {
    isScheduled = false;
    for (const key of pending) void readAgain(queryClient, { queryKey: [key] });
    pending.clear();
  }, gatherMs);
}
