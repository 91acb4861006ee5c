/** A first message to a new lane, and what becomes of it. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useId, useState } from "react";
import type { DeliveryDetail, Lane } from "waybill/client";
import { isAwaited, signOf } from "../conversation/delivery-sign.ts";
import { newMessageId } from "../conversation/drafts.ts";
import { SignMark } from "../conversation/message-block.tsx";
import { NoticeBlock } from "../conversation/notice-block.tsx";
import { client } from "../live/client.ts";
import { deliveryQuery } from "../live/queries.ts";
import { Button } from "../ui/button.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { ErrorNote } from "../ui/note.tsx";
import { exactText } from "../ui/safe-text.ts";
import { Elapsed } from "../ui/time.tsx";

export function TestMessage({ lane, onClose }: { lane: Lane; onClose: () => void }) {
  const [text, setText] = useState("Say hello.");
  // Repeated after a lost response, it is still one message; a changed text is another one.
  const [messageId, setMessageId] = useState(newMessageId);
  const box = useId();
  const send = useMutation({
    mutationFn: () => client.send({ to: { lane: lane.id }, text, messageId, source: "ui" }),
  });
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted">
        It works in <span className="font-mono text-xs">{exactText(lane.directory)}</span> with {lane.runtime}
        {lane.model && `, ${lane.model}`}. A test message shows whether its agent answers.
      </p>
      {send.data ? (
        <>
          <p className="w-fit max-w-full rounded-lg bg-sunken px-3 py-1.5 whitespace-pre-wrap wrap-anywhere">{text}</p>
          <Progress deliveryId={send.data.deliveryId} onLeave={onClose} />
        </>
      ) : (
        <form
          className="flex flex-col gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (text.trim() !== "" && !send.isPending) send.mutate();
          }}
        >
          <label htmlFor={box} className="font-medium">
            Test message
          </label>
          <textarea
            id={box}
            rows={2}
            className="w-full resize-y rounded-md border border-line-strong bg-surface px-2 py-1"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setMessageId(newMessageId());
            }}
          />
          {send.error && <ErrorNote error={send.error} />}
          <div>
            <Button type="submit" look="primary" icon="send" disabled={text.trim() === "" || send.isPending}>
              {send.isPending ? "Sending…" : "Send test message"}
            </Button>
          </div>
        </form>
      )}
      <div className="flex items-center justify-end gap-3 border-t border-line pt-3">
        <Link
          to="/lanes/$lane"
          params={{ lane: lane.id }}
          onClick={onClose}
          className="mr-auto text-accent underline underline-offset-2"
        >
          Open conversation
        </Link>
        <Button onClick={onClose}>Close</Button>
      </div>
    </div>
  );
}

/** Kept up to date by the stream, like every delivery. */
function Progress({ deliveryId, onLeave }: { deliveryId: string; onLeave: () => void }) {
  const { data: delivery, error } = useQuery(deliveryQuery(deliveryId));
  if (error) return <ErrorNote error={error} />;
  if (!delivery) return <p className="text-muted">Saved</p>;
  const isAcknowledged = delivery.replies.some(({ outcome }) => outcome === "acknowledgement");
  const sign = signOf({ delivery, isAcknowledged });
  return (
    <div aria-live="polite" className="flex flex-col gap-2">
      <p className="flex items-center gap-2">
        <SignMark sign={sign} isAwaited={isAwaited(delivery)} />
        {isAwaited(delivery) && (
          <span className="text-sm text-faint" aria-live="off">
            <Elapsed since={delivery.createdAt} />
          </span>
        )}
        <Link
          to="/deliveries/$id"
          params={{ id: deliveryId }}
          onClick={onLeave}
          className="text-sm text-faint underline hover:text-ink"
        >
          Why?
        </Link>
      </p>
      {sign.kind === "asks" && (
        <p className="text-muted">
          The agent is asking you something. Close this dialog and answer at the top of the page.
        </p>
      )}
      <NoticeBlock delivery={delivery} isAcknowledged={isAcknowledged} />
      <Answer delivery={delivery} />
    </div>
  );
}

function Answer({ delivery: { replies } }: { delivery: DeliveryDetail }) {
  const answer = replies.findLast(({ from }) => from !== "waybill");
  if (!answer) return null;
  return (
    <div
      className="max-h-60 overflow-y-auto rounded-md border border-line px-3 py-2"
      tabIndex={0}
      role="region"
      aria-label="Answer"
    >
      <Markdown text={answer.text} />
    </div>
  );
}
