/** A conversation with a lane: its messages and turns, and the message box. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { laneState } from "../app/groups.ts";
import { useLaneFacts } from "../app/use-lane-facts.ts";
import { lanesQuery, versionQuery } from "../live/queries.ts";
import { ErrorNote } from "../ui/note.tsx";
import { demoWords } from "../welcome/demo-words.ts";
import { Composer } from "./composer.tsx";
import { LaneHeader } from "./lane-header.tsx";
import { Timeline } from "./timeline-list.tsx";

const laneRoute = getRouteApi("/lanes/$lane");

export function ConversationView() {
  const { lane } = laneRoute.useParams();
  const { message } = laneRoute.useSearch();
  return <Conversation key={lane} lane={lane} marked={message ?? null} />;
}

function Conversation({ lane: id, marked }: { lane: string; marked: string | null }) {
  const { data: lanes, error } = useQuery(lanesQuery);
  const { data: version } = useQuery(versionQuery);
  const facts = useLaneFacts();
  const lane = lanes?.find((one) => one.id === id);
  const name = lane?.displayName ?? id;
  const now = lane ? laneState(lane, facts) : null;
  const isWorking = now?.dot === "working" || now?.dot === "asks";
  return (
    <>
      <LaneHeader id={id} lane={lane ?? null} now={now} isGone={lanes !== undefined && !lane} />
      {error && <ErrorNote error={error} />}
      <Timeline id={id} agent={name} marked={marked} />
      {lane && (
        <Composer
          conversation={id}
          name={name}
          isWorking={isWorking}
          suggestions={version?.demo ? demoWords(id) : []}
        />
      )}
    </>
  );
}
