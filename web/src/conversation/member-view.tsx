/** A conversation with a member that Waybill does not run: it reads an inbox file, or its mail with its tools. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { Member, Team } from "waybill/client";
import { memberDot } from "../app/groups.ts";
import { memberConversation } from "../live/conversation-id.ts";
import { teamsQuery } from "../live/queries.ts";
import { ErrorNote, Note } from "../ui/note.tsx";
import { StateDot } from "../ui/state-dot.tsx";
import { Composer } from "./composer.tsx";
import { Timeline } from "./timeline-list.tsx";

const memberRoute = getRouteApi("/members/$team/$name");

export function MemberView() {
  const place = memberRoute.useParams();
  const { message } = memberRoute.useSearch();
  const { data: teams, error } = useQuery(teamsQuery);
  const id = memberConversation(place);
  const team = teams?.find(({ name }) => name === place.team);
  const member = team?.members.find(({ name }) => name === place.name);
  const name = member?.displayName ?? place.name;
  return (
    <>
      <header className="border-b border-line px-4 py-2">
        <div className="flex items-center gap-2">
          {member && <StateDot state={memberDot(member)} />}
          <h1 className="truncate text-lg font-semibold">{name}</h1>
          {member?.role && <span className="truncate text-sm text-muted">{member.role}</span>}
        </div>
        <p className="text-sm text-faint">
          {member ? `${member.state}, ` : ""}in team {team?.displayName ?? place.team}
        </p>
        {teams && <Limits team={team} member={member} name={name} />}
      </header>
      {error && <ErrorNote error={error} />}
      <Timeline key={id} id={id} agent={name} marked={message ?? null} />
      {member && <Composer key={`${id} composer`} conversation={id} name={name} isWorking={false} />}
    </>
  );
}

/** Explains what Waybill cannot know about a member that runs elsewhere. */
function Limits({ team, member, name }: { team: Team | undefined; member: Member | undefined; name: string }) {
  if (!member) return <Note>{name} is no longer a member of this team. The conversation stays here.</Note>;
  const reads = team?.directory
    ? `Waybill sees when a message is in the inbox file of ${name}, and when it is taken`
    : `Messages wait until ${name} reads them with its tools`;
  return (
    <Note>
      {name} runs elsewhere. {reads}; only a reply shows that it was acted on.
    </Note>
  );
}
