/** Every lane with its agent, session, holder and actions. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Lane } from "waybill/client";
import type { LaneFacts } from "../app/groups.ts";
import { laneState } from "../app/groups.ts";
import { openDialog } from "../app/open-dialog.ts";
import { useLaneFacts } from "../app/use-lane-facts.ts";
import { client } from "../live/client.ts";
import { deliveryQuery, lanesQuery, refresh } from "../live/queries.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { CodeWords } from "../ui/code-words.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Menu } from "../ui/menu.tsx";
import { ErrorNote, errorWords } from "../ui/note.tsx";
import { plainCode } from "../ui/plain-code.ts";
import { exactText, proseText } from "../ui/safe-text.ts";
import { StateDot } from "../ui/state-dot.tsx";
import { Elapsed } from "../ui/time.tsx";
import { countOf, moneyAmount, tokenAmount } from "./amounts.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { hasOpenDeliveries, holderWords, holdsSince, removalWords } from "./lane-words.ts";
import type { Column } from "./section.tsx";
import { Cell, Nothing, Row, Section, Table } from "./section.tsx";

const columns: readonly Column[] = [
  { name: "Lane", width: "w-[22%]" },
  { name: "Agent", width: "w-[14%]" },
  { name: "Directory and session" },
  { name: "Now", width: "w-[21%]" },
  { name: "Used today", width: "w-28", end: true },
  { name: "Actions", width: "w-9", hidden: true },
];

export function LanesSection() {
  const { data: lanes, error } = useQuery(lanesQuery);
  const facts = useLaneFacts();
  return (
    <Section
      id="lanes"
      title="Lanes"
      note={lanes && lanes.length > 0 && countOf(lanes.length, "lane")}
      actions={
        <Button icon="plus" onClick={() => openDialog.set("new-lane")}>
          New lane
        </Button>
      }
    >
      {error && <ErrorNote error={error} />}
      {lanes?.length === 0 && <Nothing>No lanes yet. Create one to write to an agent.</Nothing>}
      {lanes && lanes.length > 0 && (
        <Table name="Lanes" columns={columns}>
          {lanes.map((lane) => (
            <LaneRow key={lane.id} lane={lane} facts={facts} />
          ))}
        </Table>
      )}
    </Section>
  );
}

function LaneRow({ lane, facts }: { lane: Lane; facts: LaneFacts }) {
  const { dot } = laneState(lane, facts);
  return (
    <Row>
      <Cell>
        <div className="flex min-w-0 items-center gap-2">
          <StateDot state={dot} />
          <Link
            to="/lanes/$lane"
            params={{ lane: lane.id }}
            className="truncate font-medium hover:underline @max-3xl:max-w-[70%]"
          >
            {proseText(lane.displayName ?? lane.id)}
          </Link>
        </div>
        {lane.displayName !== null && <p className="truncate pl-4 font-mono text-xs text-faint">{lane.id}</p>}
        {lane.member !== null && (
          <p className="truncate pl-4 text-sm text-faint">
            {lane.member} of {lane.team}
          </p>
        )}
      </Cell>
      <Cell label="Agent">
        <p className="truncate">
          {lane.runtime}
          {!lane.runtimeReady && <span className="text-bad"> is not running</span>}
        </p>
        <p className="truncate text-sm text-muted">
          {proseText(lane.model ?? "default model")}
          {lane.agent && `, agent ${proseText(lane.agent)}`}
        </p>
      </Cell>
      <Cell label="Directory">
        {/* Where there is little room its end says most. */}
        <p dir="rtl" className="truncate text-left font-mono text-xs leading-5" title={lane.directory}>
          <bdi dir="ltr">{exactText(lane.directory)}</bdi>
        </p>
        <Session lane={lane} />
      </Cell>
      <Cell label="Now">
        <Now lane={lane} />
      </Cell>
      <Cell label="Used today" end>
        <UsedToday lane={lane} />
      </Cell>
      <Cell className="@max-3xl:absolute @max-3xl:top-1 @max-3xl:right-0">
        <LaneActions lane={lane} />
      </Cell>
    </Row>
  );
}

function Session({ lane: { sessionId, generation } }: { lane: Lane }) {
  if (sessionId === null) return <p className="text-sm text-faint">no session yet</p>;
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 text-sm text-faint">
      <span className="truncate font-mono text-xs" title={sessionId}>
        {exactText(sessionId)}
      </span>
      <span className="-ml-1">
        <CopyButton text={sessionId} label="Copy" />
      </span>
      <span className="shrink-0" title={`Session number ${generation} of this lane`}>
        generation {generation}
      </span>
    </p>
  );
}

function Now({ lane }: { lane: Lane }) {
  const { holder, pausedReason, waiting, notices } = lane;
  return (
    <>
      {pausedReason !== null && <p className="text-wait">Paused: {plainCode(pausedReason)}</p>}
      {holder ? (
        <Holder deliveryId={holder.deliveryId} />
      ) : (
        pausedReason === null && <p className="text-muted">{freeWords(lane)}</p>
      )}
      {waiting > 0 && (
        <Link to="/status" hash="queues" className="text-sm text-muted underline">
          {countOf(waiting, "message waiting", "messages waiting")}
        </Link>
      )}
      {notices.map(({ code, message }) => (
        <p key={code} className="text-sm text-wait">
          <CodeWords text={proseText(message)} />
        </p>
      ))}
    </>
  );
}

function freeWords({ runtime, runtimeReady, waitReason }: Lane): string {
  if (waitReason !== null) return `Waits: ${plainCode(waitReason)}`;
  return runtimeReady ? "Free" : `Waiting for ${runtime}`;
}

function Holder({ deliveryId }: { deliveryId: string }) {
  const { data: delivery } = useQuery(deliveryQuery(deliveryId));
  if (!delivery) return <p className="text-faint">…</p>;
  return (
    <p>
      <Link to="/deliveries/$id" params={{ id: deliveryId }} className="hover:underline">
        {holderWords(delivery)}
      </Link>{" "}
      <span className="text-sm text-faint">
        <Elapsed since={holdsSince(delivery)} />
      </span>
    </p>
  );
}

function UsedToday({ lane: { usage } }: { lane: Lane }) {
  if (!usage) return <span className="text-faint">nothing</span>;
  return (
    <span className="tabular-nums" title={`${usage.tokens.toLocaleString("en")} tokens`}>
      {tokenAmount(usage.tokens)} <span className="text-faint">tokens</span>
      {usage.cost > 0 && <span className="block @max-3xl:ml-2 @max-3xl:inline">{moneyAmount(usage.cost)}</span>}
    </span>
  );
}

function LaneActions({ lane }: { lane: Lane }) {
  const { id, holder, pausedReason } = lane;
  const [asked, setAsked] = useState<"release" | "remove" | null>(null);
  const change = useMutation({
    mutationFn: (run: () => Promise<unknown>) => run(),
    onSettled: () => refresh("lanes", "pending"),
  });
  const run = (action: () => Promise<unknown>) => () => change.mutate(action);
  const close = () => setAsked(null);
  return (
    <>
      <Menu
        trigger={<IconButton icon="dots" label={`Actions for ${id}`} />}
        items={[
          pausedReason === null
            ? { label: "Pause", icon: "pause", run: run(() => client.pauseLane(id)) }
            : { label: "Resume", icon: "play", run: run(() => client.resumeLane(id)) },
          { label: "Stop the turn", icon: "stop", disabled: !holder, run: run(() => client.abortLane(id)) },
          { label: "Release the lane…", icon: "hand", disabled: !holder, run: () => setAsked("release") },
          { label: "Remove the lane…", icon: "cross", danger: true, run: () => setAsked("remove") },
        ]}
      />
      {change.error && (
        <p role="alert" className="w-48 text-sm text-bad">
          {errorWords(change.error)}
        </p>
      )}
      {asked === "release" && (
        <ConfirmDialog
          title={`Release ${id}?`}
          text="Waybill stops waiting for the delivery that holds the lane, and sends the next message. If the delivery is still open, it is cancelled. The agent may still be working on it."
          action="Release the lane"
          run={() => client.releaseLane(id)}
          onClose={close}
        />
      )}
      {asked === "remove" && (
        <ConfirmDialog
          title={`Remove ${id}?`}
          text={removalWords(lane)}
          action={hasOpenDeliveries(lane) ? "Cancel them and remove the lane" : "Remove the lane"}
          run={() => client.removeLane(id, { force: hasOpenDeliveries(lane) })}
          onClose={close}
        />
      )}
    </>
  );
}
