/** Teams with their members' states, and agents that are held because they write to each other in a loop. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Hold, Member, Team } from "waybill/client";
import { memberDot } from "../app/groups.ts";
import { client } from "../live/client.ts";
import { memberConversation, placeOf } from "../live/conversation-id.ts";
import { holdsQuery, refresh, teamsQuery } from "../live/queries.ts";
import { Button } from "../ui/button.tsx";
import { CodeWords } from "../ui/code-words.tsx";
import { ErrorNote, errorWords, Note } from "../ui/note.tsx";
import { exactText, proseText } from "../ui/safe-text.ts";
import { StateDot } from "../ui/state-dot.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { countOf } from "./amounts.ts";
import type { Column } from "./section.tsx";
import { Cell, Nothing, Row, Section, Table } from "./section.tsx";

const columns: readonly Column[] = [
  { name: "Member", width: "w-[24%]" },
  { name: "State", width: "w-28" },
  { name: "Role", width: "w-[20%]" },
  { name: "Works in" },
];

export function TeamsSection() {
  const { data: teams, error } = useQuery(teamsQuery);
  const { data: holds = [] } = useQuery(holdsQuery);
  return (
    <Section id="teams" title="Teams">
      {error && <ErrorNote error={error} />}
      {holds.map((hold) => (
        <HoldNote key={hold.lanes.join(" ")} hold={hold} />
      ))}
      {teams?.length === 0 && <Nothing>No teams yet. Agents in a team can write to each other.</Nothing>}
      {teams?.map((team) => (
        <TeamTable key={team.name} team={team} />
      ))}
    </Section>
  );
}

function HoldNote({ hold: { lanes, count, heldAt } }: { hold: Hold }) {
  const [one = "", other = ""] = lanes;
  const release = useMutation({
    mutationFn: () => client.releaseHold(one, other),
    onSettled: () => refresh("holds", "pending", "lanes"),
  });
  return (
    <div className="mb-1">
      <Note tone="wait" icon="hand">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <p className="grow">
            {one} and {other} wrote {countOf(count, "message")} to each other while nothing else happened. They were
            held <RelativeTime at={heldAt} />.
          </p>
          <Button disabled={release.isPending} onClick={() => release.mutate()}>
            Let them continue
          </Button>
        </div>
        {release.error && <p className="mt-1">{errorWords(release.error)}</p>}
      </Note>
    </div>
  );
}

function TeamTable({ team }: { team: Team }) {
  const { name, state, members, notices, directory } = team;
  return (
    <div className="mb-2 last:mb-0">
      <div className="flex min-h-7 flex-wrap items-center gap-x-2">
        <h3 className="font-medium">{proseText(team.displayName ?? name)}</h3>
        <span className="text-sm text-muted">{countOf(members.length, "member")}</span>
        {state !== "active" && <span className="text-sm text-wait">{stateWords[state]}</span>}
        {directory !== null && (
          <span className="min-w-0 truncate font-mono text-xs text-faint" title={directory}>
            {exactText(directory)}
          </span>
        )}
        <TeamActions team={team} />
      </div>
      {notices.map(({ code, message }) => (
        <p key={`${code} ${message}`} className="text-sm text-wait">
          <CodeWords text={proseText(message)} />
        </p>
      ))}
      {members.length > 0 && (
        <Table name={`Members of ${name}`} columns={columns}>
          {members.map((member) => (
            <MemberRow key={member.name} team={name} member={member} />
          ))}
        </Table>
      )}
    </div>
  );
}

const stateWords: Record<Team["state"], string> = {
  active: "active",
  paused: "paused: nothing is sent to its members",
  stopped: "stopped: nothing is sent to its members",
};

function TeamActions({ team: { name, state } }: { team: Team }) {
  const change = useMutation({
    mutationFn: (run: () => Promise<unknown>) => run(),
    onSettled: () => refresh("teams", "lanes"),
  });
  const isActive = state === "active";
  return (
    <div className="ml-auto flex items-center gap-1.5">
      {change.error && (
        <span role="alert" className="text-sm text-bad">
          {errorWords(change.error)}
        </span>
      )}
      {isActive ? (
        <>
          <Button
            look="quiet"
            icon="pause"
            disabled={change.isPending}
            onClick={() => change.mutate(() => client.pauseTeam(name))}
          >
            Pause
          </Button>
          <Button
            look="quiet"
            icon="stop"
            disabled={change.isPending}
            onClick={() => change.mutate(() => client.stopTeam(name))}
          >
            Stop
          </Button>
        </>
      ) : (
        <Button
          look="quiet"
          icon="play"
          disabled={change.isPending}
          onClick={() => change.mutate(() => client.resumeTeam(name))}
        >
          Resume
        </Button>
      )}
    </div>
  );
}

function MemberRow({ team, member }: { team: string; member: Member }) {
  const { name, displayName, kind, lane, role, state } = member;
  const conversation = kind === "native" ? memberConversation({ team, name }) : lane;
  return (
    <Row>
      <Cell>
        <span className="font-medium">{proseText(displayName ?? name)}</span>
        {displayName !== null && <span className="ml-2 font-mono text-xs text-faint">{name}</span>}
      </Cell>
      <Cell label="State">
        <span className="flex items-center gap-2">
          <StateDot state={memberDot(member)} name={state} />
          <span aria-hidden="true">{state}</span>
        </span>
      </Cell>
      <Cell label="Role" className={`text-muted ${role === null ? "@max-3xl:hidden" : ""}`}>
        {role === null ? "" : proseText(role)}
      </Cell>
      <Cell label="Works in" className="text-muted">
        {conversation === null ? (
          kindWords[kind]
        ) : (
          <Link {...placeOf(conversation)} className="hover:underline">
            {lane === null ? kindWords[kind] : `lane ${lane}`}
          </Link>
        )}
      </Cell>
    </Row>
  );
}

const kindWords: Record<Member["kind"], string> = {
  lane: "no lane",
  native: "runs elsewhere",
  person: "a person",
};
