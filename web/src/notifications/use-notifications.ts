/** Shows desktop notifications while the page is hidden; a click opens the place. */
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { openAsk } from "../asks/tray-state.ts";
import { placeOf } from "../live/conversation-id.ts";
import { onStreamEvent } from "../live/live.ts";
import { lanesQuery, queryClient } from "../live/queries.ts";
import { notify, withdrawAll, withdrawNotification } from "./desktop-notifications.ts";
import type { NewsPlace } from "./news.ts";
import { newsOf, overTag } from "./news.ts";

export function useNotifications(): void {
  const navigate = useNavigate();
  useEffect(() => {
    const goTo = (place: NewsPlace) => {
      switch (place.type) {
        case "ask":
          openAsk(place.ask);
          return void navigate({ to: "/lanes/$lane", params: { lane: place.lane } });
        case "delivery":
          return void navigate({ to: "/deliveries/$id", params: { id: place.id } });
        case "message": {
          const { conversation, message } = place;
          return void navigate({ ...placeOf(conversation), search: { message } });
        }
        default:
          return place satisfies never;
      }
    };
    const onVisible = () => {
      if (!document.hidden) withdrawAll();
    };
    const unfollow = onStreamEvent((event) => {
      const over = overTag(event);
      if (over !== null) withdrawNotification(over);
      const news = newsOf(event, laneName);
      if (news) notify(news, () => goTo(news.place));
    });
    document.addEventListener("visibilitychange", onVisible);
    return () => {
      unfollow();
      document.removeEventListener("visibilitychange", onVisible);
    };
  }, [navigate]);
}

function laneName(id: string): string {
  const lanes = queryClient.getQueryData(lanesQuery.queryKey);
  return lanes?.find((lane) => lane.id === id)?.displayName ?? id;
}
