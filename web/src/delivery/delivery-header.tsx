/** The delivery's lane, a sentence that says what is going on, and the possible actions. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { DeliveryDetail } from "waybill/client";
import { isAwaited, signOf } from "../conversation/delivery-sign.ts";
import { SignMark } from "../conversation/message-block.tsx";
import { lanesQuery } from "../live/queries.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { exactText } from "../ui/safe-text.ts";
import { Countdown, RelativeTime, useNow } from "../ui/time.tsx";
import { DeliveryActions } from "./delivery-buttons.tsx";
import { isAcknowledged, situationOf } from "./situation.ts";

export function DeliveryHeader({ detail }: { detail: DeliveryDetail }) {
  const { id, lane, messageId, next, queuedBehindMessageId } = detail;
  const { data: lanes } = useQuery(lanesQuery);
  const name = lanes?.find((one) => one.id === lane)?.displayName ?? lane;
  const situation = situationOf(detail, useNow("half-minute"));
  const sign = signOf({ delivery: detail, isAcknowledged: isAcknowledged(detail) });
  return (
    <header className="border-b border-line">
      <div className="mx-auto flex max-w-6xl flex-col gap-2 px-4 py-3">
        <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-sm text-faint">
          <h1 className="text-lg font-semibold text-ink">Message to {name}</h1>
          <SignMark sign={sign} isAwaited={isAwaited(detail)} />
          <span>
            written <RelativeTime at={detail.createdAt} />
          </span>
          <span className="ml-auto hidden items-baseline gap-1 sm:inline-flex" title={id}>
            <code className="font-mono text-xs">{id.slice(0, 12)}</code>
            <CopyButton text={id} label="Copy id" />
          </span>
        </div>
        <div className="flex flex-col gap-x-4 gap-y-2 rounded-md border border-line bg-paper px-3 py-2 sm:flex-row sm:items-center">
          <div className="min-w-0 grow">
            <p className="text-sm text-muted">{situation.question}</p>
            <p className="text-lg wrap-anywhere">{exactText(situation.words)}</p>
            <p className="text-muted wrap-anywhere empty:hidden">
              {situation.next && `Next: ${exactText(situation.next)} `}
              {next.at !== null && <Due step={next.step} at={next.at} />}
            </p>
          </div>
          <div className="flex shrink-0 flex-wrap items-center gap-2 sm:justify-end">
            <DeliveryActions detail={detail} />
            {queuedBehindMessageId !== undefined && (
              <Link
                to="/lanes/$lane"
                params={{ lane }}
                search={{ message: queuedBehindMessageId }}
                className={linkLook}
              >
                Show the message it waits for
              </Link>
            )}
            <Link to="/lanes/$lane" params={{ lane }} search={{ message: messageId }} className={linkLook}>
              Show in the conversation
            </Link>
          </div>
        </div>
      </div>
    </header>
  );
}

/** A hint from the agent may bring it forward. */
function Due({ step, at }: { step: string; at: string }) {
  return (
    <span className="whitespace-nowrap text-ink">
      {step.startsWith("asks") ? "Due" : "Next check"} <Countdown until={at} />.
    </span>
  );
}

const linkLook =
  "inline-flex h-7 items-center rounded-md border border-line-strong bg-surface px-2.5 whitespace-nowrap hover:bg-hover";
