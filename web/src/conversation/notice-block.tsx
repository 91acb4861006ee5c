/** A delivery's notice, with what a person can do about it. */
import { useMutation } from "@tanstack/react-query";
import type { Delivery } from "waybill/client";
import { client } from "../live/client.ts";
import { Button } from "../ui/button.tsx";
import { errorWords, Note } from "../ui/note.tsx";
import { Countdown } from "../ui/time.tsx";
import { noticeOf } from "./delivery-sign.ts";

export function NoticeBlock({ delivery, isAcknowledged }: { delivery: Delivery; isAcknowledged: boolean }) {
  const notice = noticeOf({ delivery, isAcknowledged });
  const retry = useMutation({ mutationFn: () => client.retry(delivery.id) });
  const cancel = useMutation({ mutationFn: () => client.cancel(delivery.id) });
  if (!notice) return null;
  const error = retry.error ?? cancel.error;
  return (
    <div className="mt-1 max-w-2xl" data-notice={delivery.status}>
      <Note tone={notice.tone}>
        <p>
          {notice.text}
          {notice.until !== null && (
            <>
              {" "}
              <Countdown until={notice.until} />
            </>
          )}
        </p>
        {(notice.canRetry || notice.canCancel) && (
          <div className="mt-1.5 flex gap-2">
            {notice.canRetry && (
              <Button icon="retry" disabled={retry.isPending} onClick={() => retry.mutate()}>
                Retry
              </Button>
            )}
            {notice.canCancel && (
              <Button disabled={cancel.isPending} onClick={() => cancel.mutate()}>
                Cancel the message
              </Button>
            )}
          </div>
        )}
        {error && <p className="mt-1">{errorWords(error)}</p>}
      </Note>
    </div>
  );
}
