/** The start page of a configured Waybill. Each row links to where the thing is dealt with. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Delivery, Lane } from "waybill/client";
import { useLaneFacts } from "../app/use-lane-facts.ts";
import { focusAsk } from "../asks/tray-state.ts";
import { signOf } from "../conversation/delivery-sign.ts";
import { SignMark } from "../conversation/message-block.tsx";
import { client } from "../live/client.ts";
import { placeOf } from "../live/conversation-id.ts";
import { deliveryQuery, recentMessagesQuery, waitingDeliveriesQuery } from "../live/queries.ts";
import { Button } from "../ui/button.tsx";
import type { IconName } from "../ui/icon.tsx";
import { Icon } from "../ui/icon.tsx";
import { errorWords } from "../ui/note.tsx";
import { beginningOf, exactText, proseText } from "../ui/safe-text.ts";
import { Elapsed, RelativeTime } from "../ui/time.tsx";
import type { Answer, DeliveryRow, Need, Running } from "./overview.ts";
import { overviewOf, summaryWords } from "./overview.ts";

export function OverviewView({ lanes }: { lanes: readonly Lane[] }) {
  const facts = useLaneFacts();
  const { data: waiting = [] } = useQuery(waitingDeliveriesQuery);
  const { data: messages = [] } = useQuery(recentMessagesQuery);
  const overview = overviewOf({ lanes, facts, waiting, messages });
  return (
    <div className="min-h-0 grow overflow-y-auto">
      <div className="mx-auto flex max-w-5xl flex-col gap-5 px-4 py-4 sm:px-6">
        <header>
          <h1 className="text-xl font-semibold">Overview</h1>
          <p className="text-muted">{summaryWords(overview, lanes.length)}</p>
        </header>
        <Section title="Needs you" empty="Nothing. Asks and failed messages appear here.">
          {overview.needs.map((need) => (
            <NeedRow key={need.key} need={need} />
          ))}
        </Section>
        <Section title="Working" empty="No agent is working.">
          {overview.running.map((running) => (
            <RunningRow key={running.lane} running={running} />
          ))}
        </Section>
        {overview.waiting.length > 0 && (
          <Section title="Waiting" empty="">
            {overview.waiting.map((row) => (
              <WaitingRow key={row.delivery.id} row={row} />
            ))}
          </Section>
        )}
        <Section title="Newest answers" empty="No answers yet. Open a conversation and write to its agent.">
          {overview.answers.map((answer) => (
            <AnswerRow key={answer.message.id} answer={answer} />
          ))}
        </Section>
      </div>
    </div>
  );
}

function Section({ title, empty, children }: { title: string; empty: string; children: readonly ReactNode[] }) {
  return (
    <section aria-label={title}>
      <h2 className="pb-1 text-sm font-semibold text-muted">{title}</h2>
      {children.length === 0 ? (
        <p className="border-t border-line py-1.5 text-faint">{empty}</p>
      ) : (
        <ul className="divide-y divide-line border-y border-line">{children}</ul>
      )}
    </section>
  );
}

type RowProps = {
  icon: IconName;
  iconClass: string;
  /** The conversation that it belongs to. */
  lane: string;
  laneName: string;
  children: ReactNode;
  /** At the end of the row. */
  end: ReactNode;
};

/** Who, what, and since when: in the same columns in all sections. */
function Row({ icon, iconClass, lane, laneName, children, end }: RowProps) {
  return (
    <li className="flex min-h-7 flex-wrap items-center gap-x-3 py-1 sm:flex-nowrap">
      <Icon name={icon} className={`size-3.5 ${iconClass}`} />
      <Link
        {...placeOf(lane)}
        className="max-w-[60%] shrink-0 truncate font-medium hover:underline sm:w-36 sm:max-w-none"
      >
        {laneName}
      </Link>
      <div className="order-last w-full min-w-0 grow sm:order-none sm:w-auto">{children}</div>
      <div className="ml-auto flex shrink-0 items-center gap-1.5 text-sm text-faint">{end}</div>
    </li>
  );
}

function NeedRow({ need }: { need: Need }) {
  const { lane, laneName } = need;
  switch (need.type) {
    case "ask": {
      const { ask } = need;
      return (
        <Row {...{ lane, laneName }} icon="hand" iconClass="text-wait" end={<Elapsed since={ask.since} />}>
          <button
            type="button"
            onClick={() => focusAsk(ask.id)}
            className="block w-full truncate text-left hover:underline"
          >
            <span className="text-wait">{ask.kind === "permission" ? "Asks for permission" : "Asks"}</span>{" "}
            <span className="text-muted">{exactText(ask.title)}</span>
          </button>
        </Row>
      );
    }
    case "failed":
      return <FailedRow row={need} />;
    case "held":
      return (
        <Row {...{ lane, laneName }} icon="hand" iconClass="text-wait" end={<DecideLink id={need.delivery.id} />}>
          <DeliveryText row={need} />
          <p className="truncate text-sm text-wait">Held. {exactText(need.delivery.why ?? "")}</p>
        </Row>
      );
    case "lane":
      return (
        <Row {...{ lane, laneName }} icon="warning" iconClass="text-wait" end={null}>
          <p className="truncate text-muted" title={need.words}>
            {need.words}
          </p>
        </Row>
      );
    default:
      return need satisfies never;
  }
}

function FailedRow({ row }: { row: DeliveryRow }) {
  const { delivery, lane, laneName } = row;
  return (
    <Row {...{ lane, laneName }} icon="cross" iconClass="text-bad" end={<Decide delivery={delivery} />}>
      <DeliveryText row={row} />
      <p className="truncate text-sm text-bad">
        Failed. {exactText(delivery.why ?? "")}{" "}
        {delivery.failedAt !== null && <RelativeTime at={delivery.failedAt} className="text-faint" />}
      </p>
    </Row>
  );
}

/** Why it is held, and what to do about it, does not fit in a row. */
function DecideLink({ id }: { id: string }) {
  return (
    <Link to="/deliveries/$id" params={{ id }} className="text-accent underline">
      Decide
    </Link>
  );
}

/** Retry or cancel. */
function Decide({ delivery }: { delivery: Delivery }) {
  const retry = useMutation({ mutationFn: () => client.retry(delivery.id) });
  const cancel = useMutation({ mutationFn: () => client.cancel(delivery.id) });
  const error = retry.error ?? cancel.error;
  const isBusy = retry.isPending || cancel.isPending;
  return (
    <>
      {error && (
        <span role="alert" className="max-w-48 truncate text-bad" title={errorWords(error)}>
          {errorWords(error)}
        </span>
      )}
      <Button icon="retry" disabled={isBusy} onClick={() => retry.mutate()}>
        Retry
      </Button>
      <Button look="quiet" disabled={isBusy} onClick={() => cancel.mutate()}>
        Cancel
      </Button>
    </>
  );
}

function RunningRow({ running: { lane, laneName, doing, since, text, waiting } }: { running: Running }) {
  const end = (
    <>
      {waiting > 0 && <span>{waiting} waiting</span>}
      {since !== null && <Elapsed since={since} />}
    </>
  );
  return (
    <Row {...{ lane, laneName, end }} icon="pulse" iconClass="text-busy">
      <p className="truncate">
        <span className="text-busy">{doing}</span>{" "}
        {text !== null && <span className="text-muted">{firstLine(text)}</span>}
      </p>
    </Row>
  );
}

function WaitingRow({ row }: { row: DeliveryRow }) {
  const { delivery, lane, laneName } = row;
  const end = (
    <>
      <span className="hidden sm:inline">
        <SignMark sign={signOf({ delivery, isAcknowledged: false })} isAwaited={false} />
      </span>
      <RelativeTime at={delivery.createdAt} />
    </>
  );
  return (
    <Row {...{ lane, laneName, end }} icon="clock" iconClass="text-faint">
      <DeliveryText row={row} />
    </Row>
  );
}

function AnswerRow({ answer: { conversation, name, message, isUnread } }: { answer: Answer }) {
  const end = (
    <>
      {isUnread && <span className="font-medium text-accent">new</span>}
      <RelativeTime at={message.createdAt} />
    </>
  );
  return (
    <Row lane={conversation} laneName={name} end={end} icon="checks" iconClass="text-good">
      <Link
        {...placeOf(conversation)}
        search={{ message: message.id }}
        className={`block truncate hover:underline ${isUnread ? "" : "text-muted"}`}
      >
        {firstLine(message.text)}
      </Link>
    </Row>
  );
}

/** The message's text, as a link to its delivery. An older message is loaded separately. */
function DeliveryText({ row: { delivery, text } }: { row: DeliveryRow }) {
  const { data } = useQuery({ ...deliveryQuery(delivery.id), enabled: text === null });
  const words = text ?? data?.message?.text ?? null;
  return (
    <Link to="/deliveries/$id" params={{ id: delivery.id }} className="block truncate hover:underline">
      {words === null ? <span className="font-mono text-xs">{delivery.messageId}</span> : firstLine(words)}
    </Link>
  );
}

function firstLine(text: string): string {
  return beginningOf(proseText(text).trim(), 1, 300).text;
}
