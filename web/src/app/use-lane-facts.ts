/** What the sidebar and other lists show about lanes, kept up to date by the stream. */
import { useQuery } from "@tanstack/react-query";
import { activity } from "../live/activity.ts";
import { asksQuery, failedDeliveriesQuery, openDeliveriesQuery, unreadQuery } from "../live/queries.ts";
import { useStore } from "../live/store.ts";
import type { LaneFacts } from "./groups.ts";

export function useLaneFacts(): LaneFacts {
  const { data: asks = [] } = useQuery(asksQuery);
  const { data: open = [] } = useQuery(openDeliveriesQuery);
  const { data: failed = [] } = useQuery(failedDeliveriesQuery);
  const { data: unread } = useQuery(unreadQuery);
  return { asks, open, failed, activity: useStore(activity), unread: { ...unread?.lanes, ...unread?.members } };
}
