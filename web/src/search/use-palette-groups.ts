/** The palette's items, connected to the page. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useState } from "react";
import { groupsOf } from "../app/groups.ts";
import { openDialog } from "../app/open-dialog.ts";
import { chooseTheme, shownTheme, theme } from "../app/theme.ts";
import { useLaneFacts } from "../app/use-lane-facts.ts";
import { focusAsk } from "../asks/tray-state.ts";
import { client } from "../live/client.ts";
import { placeOf } from "../live/conversation-id.ts";
import { lanesQuery, refresh, teamsQuery } from "../live/queries.ts";
import { useStore } from "../live/store.ts";
import type { FilterGroup } from "./palette-filter.ts";
import type { PaletteCommands, PaletteItem } from "./palette-items.ts";
import { paletteGroups } from "./palette-items.ts";
import { laneOfPath, recentLanes } from "./recent-lanes.ts";

export function usePaletteGroups(typed: string): FilterGroup<PaletteItem>[] {
  const navigate = useNavigate();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const { data: lanes = [] } = useQuery(lanesQuery);
  const { data: teams = [] } = useQuery(teamsQuery);
  const facts = useLaneFacts();
  const shown = shownTheme(useStore(theme));
  // As of opening the palette, so that nothing moves while it is open.
  const [recent] = useState(recentLanes);
  const here = laneOfPath(path);
  const change = async (changed: Promise<unknown>) => {
    await changed;
    refresh("lanes");
  };
  const commands: PaletteCommands = {
    goTo: (conversation) => void navigate(placeOf(conversation)),
    goToStatus: () => void navigate({ to: "/status" }),
    goToStart: () => void navigate({ to: "/" }),
    search: (q) => void navigate({ to: "/search", search: { q } }),
    showDelivery: (id) => void navigate({ to: "/deliveries/$id", params: { id } }),
    openNewLane: () => openDialog.set("new-lane"),
    openShortcuts: () => openDialog.set("shortcuts"),
    toggleTheme: () => chooseTheme(shown === "dark" ? "light" : "dark"),
    signOut,
    pause: (lane) => change(client.pauseLane(lane)),
    resume: (lane) => change(client.resumeLane(lane)),
    stop: (lane) => change(client.abortLane(lane)),
    focusAsk,
  };
  return paletteGroups(
    typed,
    {
      groups: groupsOf(lanes, teams, facts),
      recent,
      current: lanes.find(({ id }) => id === here) ?? null,
      asks: facts.asks.length,
      theme: shown,
    },
    commands,
  );
}

/** The cookie is deleted; reloading clears what is still shown. */
async function signOut(): Promise<void> {
  await client.logout();
  location.assign("/");
}
