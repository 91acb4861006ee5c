/** Lanes and members by team and workspace, with what each is doing. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { placeOf } from "../live/conversation-id.ts";
import { lanesQuery, teamsQuery } from "../live/queries.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { StateDot } from "../ui/state-dot.tsx";
import { Elapsed } from "../ui/time.tsx";
import type { Entry } from "./groups.ts";
import { groupsOf } from "./groups.ts";
import { openDialog } from "./open-dialog.ts";
import { useLaneFacts } from "./use-lane-facts.ts";

export function Sidebar({ onNavigate }: { onNavigate: () => void }) {
  const { data: lanes = [] } = useQuery(lanesQuery);
  const { data: teams = [] } = useQuery(teamsQuery);
  const groups = groupsOf(lanes, teams, useLaneFacts());
  return (
    <nav aria-label="Conversations" className="flex min-h-0 grow flex-col overflow-y-auto px-2 pb-4">
      {groups.map(({ key, title, hint, entries }) => (
        <section key={key} aria-label={hint} className="mt-3">
          <h2 className="truncate px-2 pb-1 text-sm font-semibold text-muted" title={hint}>
            {title}
          </h2>
          <ul>
            {entries.map((entry) => (
              <li key={entry.key}>
                <EntryRow entry={entry} onNavigate={onNavigate} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      <div className="mt-3 px-1">
        <button
          type="button"
          onClick={() => openDialog.set("new-lane")}
          className="flex h-7 w-full items-center gap-2 rounded-md px-1.5 text-muted hover:bg-hover hover:text-ink"
        >
          <Icon name="plus" className="size-3.5" /> New lane
        </button>
      </div>
    </nav>
  );
}

function EntryRow({ entry, onNavigate }: { entry: Entry; onNavigate: () => void }) {
  const { conversation, name, role } = entry;
  const content = (
    <>
      <StateDot state={entry.dot} />
      <span className="min-w-0 grow truncate">
        {name}
        {role && <span className="ml-1.5 text-sm text-faint">{role}</span>}
      </span>
      <Doing entry={entry} />
      {entry.unread > 0 && (
        <span className="rounded-full bg-accent px-1.5 text-xs font-semibold text-accent-ink tabular-nums">
          {entry.unread}
          <span className="sr-only"> unread</span>
        </span>
      )}
    </>
  );
  const className = "flex h-7 items-center gap-2 rounded-md px-2";
  if (conversation === null) return <div className={`${className} text-muted`}>{content}</div>;
  return (
    <Link
      {...placeOf(conversation)}
      onClick={onNavigate}
      className={`${className} hover:bg-hover`}
      activeProps={{ className: "bg-selected hover:bg-selected font-medium" }}
    >
      {content}
    </Link>
  );
}

function Doing({ entry: { doing, since, waiting } }: { entry: Entry }) {
  return (
    <span className="flex shrink-0 items-center gap-1.5 text-sm text-faint">
      {doing && <span className="max-w-24 truncate">{doing}</span>}
      {since !== null && <Elapsed since={since} />}
      {waiting > 0 && <span title={`${waiting} waiting`}>+{waiting}</span>}
    </span>
  );
}

export function SidebarHeader({ onSearch }: { onSearch: () => void }) {
  return (
    <div className="flex h-12 shrink-0 items-center gap-2 px-3">
      <Link to="/" className="flex grow items-center gap-2 text-lg font-semibold tracking-tight">
        <Icon name="checks" className="size-5 text-accent" /> Waybill
      </Link>
      <IconButton icon="search" label="Search and commands (Ctrl K)" onClick={onSearch} />
    </div>
  );
}
