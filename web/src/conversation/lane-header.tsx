/** The header of a conversation: the agent, its directory, what it is doing, and the lane's actions. */
import { useMutation } from "@tanstack/react-query";
import type { Lane } from "waybill/client";
import type { Entry } from "../app/groups.ts";
import { client } from "../live/client.ts";
import { refresh } from "../live/queries.ts";
import { LazyMenu } from "../ui/lazy-menu.tsx";
import { errorWords, Note } from "../ui/note.tsx";
import { plainCode } from "../ui/plain-code.ts";
import { exactText, proseText } from "../ui/safe-text.ts";
import { StateDot } from "../ui/state-dot.tsx";
import { Elapsed } from "../ui/time.tsx";

type LaneHeaderProps = {
  id: string;
  lane: Lane | null;
  now: Pick<Entry, "dot" | "doing" | "since"> | null;
  isGone: boolean;
};

export function LaneHeader({ id, lane, now, isGone }: LaneHeaderProps) {
  const change = useMutation({ mutationFn: (run: () => Promise<unknown>) => run(), onSettled: () => refresh("lanes") });
  return (
    <header className="border-b border-line px-4 py-2">
      <div className="flex items-center gap-2">
        {now && <StateDot state={now.dot} />}
        <h1 className="truncate text-lg font-semibold">{lane?.displayName ?? id}</h1>
        {now?.doing && (
          <span className="flex shrink-0 items-center gap-1 text-sm text-muted">
            {now.doing} {now.since !== null && <Elapsed since={now.since} />}
          </span>
        )}
        <span className="grow" />
        {lane && <UsageToday lane={lane} />}
        {lane && <LazyMenu icon="dots" label="Lane actions" items={laneActions(lane, change.mutate)} />}
      </div>
      {lane && (
        <p className="flex flex-wrap gap-x-3 text-sm text-faint">
          <span>{lane.runtime}</span>
          {lane.model && <span>{exactText(lane.model)}</span>}
          {lane.agent && <span>agent {exactText(lane.agent)}</span>}
          <span className="truncate font-mono text-xs leading-5" title={lane.directory}>
            {exactText(lane.directory)}
          </span>
        </p>
      )}
      <div className="flex flex-col gap-1">
        {isGone && <Note>This lane was removed. Its history stays here.</Note>}
        {lane?.pausedReason && (
          <Note tone="wait" icon="pause">
            Paused: {plainCode(lane.pausedReason)}. Messages wait until it is resumed.
          </Note>
        )}
        {lane?.notices.map(({ code, message }) => (
          <Note key={code} tone="wait" icon="warning">
            {proseText(message)}
          </Note>
        ))}
        {change.error && <Note tone="bad">{errorWords(change.error)}</Note>}
      </div>
    </header>
  );
}

function UsageToday({ lane: { usage } }: { lane: Lane }) {
  if (!usage) return null;
  return (
    <span className="hidden shrink-0 text-sm text-faint sm:inline" title="Used today">
      {usage.tokens.toLocaleString()} tokens{usage.cost > 0 && `, $${usage.cost.toFixed(2)}`} today
    </span>
  );
}

function laneActions(lane: Lane, run: (action: () => Promise<unknown>) => void) {
  const isPaused = lane.pausedReason !== null;
  return [
    isPaused
      ? { label: "Resume", icon: "play" as const, run: () => run(() => client.resumeLane(lane.id)) }
      : { label: "Pause", icon: "pause" as const, run: () => run(() => client.pauseLane(lane.id)) },
    {
      label: "Stop the turn",
      icon: "stop" as const,
      disabled: lane.holder === null,
      run: () => run(() => client.abortLane(lane.id)),
    },
  ];
}
