/** Waiting messages of each lane, in sending order. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Delivery, Lane } from "waybill/client";
import { client } from "../live/client.ts";
import { deliveryQuery, lanesQuery, pendingQuery, refresh } from "../live/queries.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote, errorWords } from "../ui/note.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { whyItWaits } from "./lane-words.ts";
import { previewOf } from "./preview.ts";
import type { Column } from "./section.tsx";
import { Cell, Nothing, Row, Section, Table } from "./section.tsx";

const columns: readonly Column[] = [
  { name: "Lane", width: "w-[17%]" },
  { name: "Place", width: "w-12" },
  { name: "Message" },
  { name: "Why it waits", width: "w-[28%]" },
  { name: "Saved", width: "w-24" },
  { name: "Actions", width: "w-24", hidden: true },
];

const shownAtFirst = 10;
const shownMore = 20;

export function QueuesSection() {
  const { data: lanes = [] } = useQuery(lanesQuery);
  const busy = lanes.filter(({ waiting }) => waiting > 0);
  return (
    <Section id="queues" title="Queues">
      {busy.length === 0 ? (
        <Nothing>No messages are waiting.</Nothing>
      ) : (
        <Table name="Queues" columns={columns}>
          {busy.map((lane) => (
            <Queue key={lane.id} lane={lane} />
          ))}
        </Table>
      )}
    </Section>
  );
}

function Queue({ lane }: { lane: Lane }) {
  const { data: queue, error } = useQuery(pendingQuery(lane.id));
  const [shown, setShown] = useState(shownAtFirst);
  const waiting = queue?.deliveries ?? [];
  const before = queue?.isCut ? Math.max(0, lane.waiting - waiting.length) : 0;
  const more = waiting.length - shown;
  return (
    <>
      {waiting.slice(0, shown).map((delivery, index) => (
        <WaitingRow
          key={delivery.id}
          delivery={delivery}
          lane={lane}
          place={before + index + 1}
          isFirst={index === 0}
        />
      ))}
      {(error || more > 0 || queue?.isCut) && (
        <Row>
          <Cell />
          <Cell />
          <Cell>
            {error && <ErrorNote error={error} />}
            {more > 0 && (
              <Button look="quiet" className="-ml-2.5" onClick={() => setShown(shown + shownMore)}>
                Show {Math.min(shownMore, more)} of {more} more
              </Button>
            )}
            {queue?.isCut && <p className="text-sm text-muted">Only the newest {waiting.length} are listed.</p>}
          </Cell>
        </Row>
      )}
    </>
  );
}

type WaitingRowProps = { delivery: Delivery; lane: Lane; place: number; isFirst: boolean };

function WaitingRow({ delivery, lane, place, isFirst }: WaitingRowProps) {
  const { id, messageId } = delivery;
  const { data: detail } = useQuery(deliveryQuery(id));
  const withdraw = useMutation({
    mutationFn: () => client.withdraw(messageId, lane.id),
    onSettled: () => refresh("pending", "lanes"),
  });
  const preview = detail?.message ? previewOf(detail.message) : null;
  return (
    <Row>
      <Cell label="Lane">
        <Link
          to="/lanes/$lane"
          params={{ lane: lane.id }}
          className={`block truncate font-medium hover:underline ${isFirst ? "" : "@3xl:sr-only"}`}
        >
          {lane.displayName ?? lane.id}
        </Link>
      </Cell>
      <Cell label="Place" className="text-muted tabular-nums">
        {place}
      </Cell>
      <Cell label="Message">
        <Link to="/deliveries/$id" params={{ id }} className="line-clamp-2 hover:underline" title={messageId}>
          {preview ?? <span className="font-mono text-xs">{messageId}</span>}
        </Link>
        {detail?.message && <p className="truncate text-sm text-faint">from {senderName(detail.message.from)}</p>}
      </Cell>
      <Cell label="Why" className="text-muted">
        {whyItWaits(delivery, lane)}
      </Cell>
      <Cell label="Saved" className="text-muted">
        <RelativeTime at={delivery.createdAt} />
      </Cell>
      <Cell>
        <Button
          disabled={withdraw.isPending}
          onClick={() => withdraw.mutate()}
          aria-label={`Withdraw: ${preview ?? messageId}`}
        >
          Withdraw
        </Button>
        {withdraw.error && (
          <p role="alert" className="mt-1 text-sm text-bad">
            {errorWords(withdraw.error)}
          </p>
        )}
      </Cell>
    </Row>
  );
}

function senderName(from: string): string {
  return from === "user" ? "you" : from;
}
