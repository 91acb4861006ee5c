/** The frame around every view: sidebar, asks, connection state, and global dialogs. */
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { AskTray } from "../asks/ask-tray.tsx";
import { connection } from "../live/live.ts";
import { useStore } from "../live/store.ts";
import { NotifyProblem, NotifyToggle } from "../notifications/notify-toggle.tsx";
import { useNotifications } from "../notifications/use-notifications.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { NoticeList } from "./notice-list.tsx";
import { openDialog } from "./open-dialog.ts";
import { SignedOut } from "./problem-views.tsx";
import { useShortcuts } from "./shortcuts.ts";
import { Sidebar, SidebarHeader } from "./sidebar.tsx";
import { chooseTheme, shownTheme, theme } from "./theme.ts";

const NewLaneDialog = lazy(() => import("../lanes/new-lane-dialog.tsx"));
const Palette = lazy(() => import("../search/palette.tsx"));
const ShortcutsDialog = lazy(() => import("./shortcuts-dialog.tsx"));

export function Shell() {
  const isSignedOut = useStore(connection) === "signed_out";
  const [isMenuOpen, setMenuOpen] = useState(false);
  const path = useRouterState({ select: (state) => state.location.pathname });
  useShortcuts();
  useNotifications();
  // On a phone the menu covers the view, and closes when a view is chosen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes when the address changes
  useEffect(() => setMenuOpen(false), [path]);
  if (isSignedOut) return <SignedOut />;
  return (
    <div className="flex h-dvh flex-col">
      <a href="#view" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-raised focus:p-2">
        Skip to the content
      </a>
      <ConnectionBanner />
      <div className="flex min-h-0 grow">
        <aside
          className={`${isMenuOpen ? "flex" : "hidden"} absolute inset-y-0 left-0 z-30 w-72 max-w-[85vw] flex-col border-r border-line bg-paper shadow-raised md:static md:flex md:shrink-0 md:shadow-none`}
        >
          <SidebarHeader onSearch={() => openDialog.set("palette")} />
          <Sidebar onNavigate={() => setMenuOpen(false)} />
          <NotifyProblem />
          <SidebarFooter />
        </aside>
        {isMenuOpen && (
          <button
            type="button"
            aria-label="Close menu"
            className="absolute inset-0 z-20 bg-[rgb(0_0_0/30%)] md:hidden"
            onClick={() => setMenuOpen(false)}
          />
        )}
        <div className="flex min-w-0 grow flex-col bg-surface">
          <header className="flex items-center border-b border-line px-1 md:hidden">
            <IconButton icon="menu" label="Conversations" onClick={() => setMenuOpen(true)} />
            <Link to="/" className="font-semibold">
              Waybill
            </Link>
          </header>
          <AskTray />
          <NoticeList />
          <main id="view" tabIndex={-1} className="flex min-h-0 grow flex-col outline-none">
            <Outlet />
          </main>
        </div>
      </div>
      <Dialogs />
    </div>
  );
}

function SidebarFooter() {
  const shown = shownTheme(useStore(theme));
  return (
    <div className="flex h-10 shrink-0 items-center gap-1 border-t border-line px-2">
      <Link
        to="/status"
        className="flex h-7 grow items-center gap-2 rounded-md px-2 text-muted hover:bg-hover hover:text-ink"
        activeProps={{ className: "bg-selected text-ink" }}
      >
        <Icon name="pulse" className="size-3.5" /> Status
      </Link>
      <NotifyToggle />
      <IconButton
        icon={shown === "dark" ? "sun" : "moon"}
        label={shown === "dark" ? "Use light colours" : "Use dark colours"}
        onClick={() => chooseTheme(shown === "dark" ? "light" : "dark")}
      />
      <IconButton icon="dots" label="Keyboard shortcuts (?)" onClick={() => openDialog.set("shortcuts")} />
    </div>
  );
}

function Dialogs() {
  const dialog = useStore(openDialog);
  const close = () => openDialog.set(null);
  return (
    <Suspense fallback={null}>
      {dialog === "new-lane" && <NewLaneDialog onClose={close} />}
      {dialog === "palette" && <Palette onClose={close} />}
      {dialog === "shortcuts" && <ShortcutsDialog onClose={close} />}
    </Suspense>
  );
}
