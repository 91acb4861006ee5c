/** `getUpdates`: waits for an update. Only one request waits at a time; the next one ends it. */
import type { Update } from "grammy/types";
import { conflict } from "../bot-api-error.ts";
import type { Clock } from "../clock.ts";
import type { UpdateQueue } from "./update-queue.ts";

export type PollRequest = { offset: number; limit: number; timeoutS: number };

export type LongPoll = {
  /** `closed` is aborted when the caller disconnects. */
  poll(request: PollRequest, closed: AbortSignal): Promise<Update[]>;
  /** Ends the waiting request, because something else wants the updates. */
  interrupt(reason: string): void;
};

const otherPoll = "terminated by other getUpdates request; make sure that only one bot instance is running";

export function createLongPoll(clock: Clock, queue: UpdateQueue): LongPoll {
  let interruptWaiting: ((reason: string) => void) | undefined;

  return {
    async poll({ offset, limit, timeoutS }, closed) {
      interruptWaiting?.(otherPoll);
      if (offset < 0) queue.keepNewest(-offset);
      else queue.confirm(offset);
      const ready = () => queue.pending().slice(0, limit);
      if (timeoutS === 0 || ready().length > 0 || closed.aborted) return ready();

      return new Promise<Update[]>((resolve, reject) => {
        const stop = () => {
          interruptWaiting = undefined;
          removeListener();
          cancelTimeout();
          closed.removeEventListener("abort", finish);
        };
        const finish = () => {
          stop();
          resolve(ready());
        };
        const removeListener = queue.onAdd(finish);
        const cancelTimeout = clock.at(clock.now() + timeoutS * 1000, finish);
        closed.addEventListener("abort", finish);
        interruptWaiting = (reason) => {
          stop();
          reject(conflict(reason));
        };
      });
    },
    interrupt(reason) {
      interruptWaiting?.(reason);
    },
  };
}
