/** Lanes and members whose names match. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Entry } from "../app/groups.ts";
import { groupsOf } from "../app/groups.ts";
import { useLaneFacts } from "../app/use-lane-facts.ts";
import { placeOf } from "../live/conversation-id.ts";
import { lanesQuery, teamsQuery } from "../live/queries.ts";
import { StateDot } from "../ui/state-dot.tsx";
import { filterItems } from "./palette-filter.ts";
import { ResultSection, resultList } from "./result-section.tsx";

const maxShown = 8;

export function LaneResults({ query }: { query: string }) {
  const { data: lanes = [] } = useQuery(lanesQuery);
  const { data: teams = [] } = useQuery(teamsQuery);
  const named = groupsOf(lanes, teams, useLaneFacts()).flatMap(({ key, title, hint, entries }) =>
    entries.map((entry) => ({
      key: `${key} ${entry.key}`,
      entry,
      place: title,
      label: entry.name,
      keywords: `${entry.lane ?? ""} ${entry.role ?? ""} ${hint}`,
    })),
  );
  const found = filterItems(named, query).slice(0, maxShown);
  if (found.length === 0) return null;
  return (
    <ResultSection title="Lanes and members">
      <ul className={resultList}>
        {found.map(({ key, entry, place }) => (
          <li key={key}>
            <LaneRow entry={entry} place={place} />
          </li>
        ))}
      </ul>
    </ResultSection>
  );
}

function LaneRow({ entry: { conversation, name, dot, doing, role }, place }: { entry: Entry; place: string }) {
  const content = (
    <>
      <StateDot state={dot} />
      <span className="truncate font-medium">{name}</span>
      {role && <span className="truncate text-sm text-faint">{role}</span>}
      <span className="ml-auto flex shrink-0 gap-2 text-sm text-faint">
        {doing && <span>{doing}</span>}
        <span>{place}</span>
      </span>
    </>
  );
  const className = "flex h-8 items-center gap-2 px-3";
  if (conversation === null) return <div className={`${className} text-muted`}>{content}</div>;
  return (
    <Link {...placeOf(conversation)} className={`${className} hover:bg-hover`}>
      {content}
    </Link>
  );
}
