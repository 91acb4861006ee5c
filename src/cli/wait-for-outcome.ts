/** `send --wait`: shows what happens to a message until its delivery has an outcome, and makes that the exit code. */
import type { DeliveryDetail, NewMessage, Sent, WaybillClient } from "../client/index.ts";
import { WaybillError } from "../client/index.ts";
import type { CommandContext } from "./command.ts";
import { exitCodeOfOutcome, exitCodes } from "./exit-codes.ts";
import type { Progress } from "./output/progress.ts";
import { jsonProgress, livelyProgress } from "./output/progress.ts";
import { oneLine } from "./output/words.ts";

export async function sendAndWatch(
  client: WaybillClient,
  message: NewMessage,
  timeoutMs: number | null,
  context: CommandContext,
): Promise<number> {
  const timeUp = new AbortController();
  const timer = timeoutMs === null ? null : setTimeout(() => timeUp.abort(), timeoutMs);
  const progress: Progress = context.json ? jsonProgress(context) : livelyProgress(context);
  let sent: Sent | null = null;
  try {
    const delivery = await client.sendAndWait(message, {
      // Ctrl-C ends everything that the client does.
      signal: timeUp.signal,
      onSent: (known) => {
        sent = known;
        progress.sent(known);
      },
      onEvent: progress.event,
      onError: progress.trouble,
    });
    progress.end(delivery);
    return exitCodeOfOutcome(delivery.status);
  } catch (error) {
    progress.stop();
    if (!context.interrupted.aborted && !timeUp.signal.aborted) throw error;
    await sayThatItGoesOn(client, sent, context, timeUp.signal.aborted);
    return timeUp.signal.aborted ? exitCodes.timedOut : exitCodes.interrupted;
  } finally {
    progress.stop();
    if (timer) clearTimeout(timer);
  }
}

/** The waiting ended, not the delivery. */
async function sayThatItGoesOn(
  client: WaybillClient,
  sent: Sent | null,
  { json, print, remark, interrupted }: CommandContext,
  timedOut: boolean,
): Promise<void> {
  if (sent === null) {
    if (!json) remark("Stopped before it was known whether the message was taken.");
    return;
  }
  if (json) {
    if (!interrupted.aborted) await printAsItIs(client, sent, print);
    return;
  }
  const id = oneLine(sent.messageId);
  remark(`${timedOut ? "Stopped waiting" : "Stopped"}; the delivery goes on. Look at it: waybill why ${id}`);
}

/** So that the last line is a delivery for a script that ran out of time, too. */
async function printAsItIs(client: WaybillClient, sent: Sent, print: (line: string) => void): Promise<void> {
  try {
    const delivery: DeliveryDetail = await client.delivery(sent.deliveryId);
    print(JSON.stringify(delivery));
  } catch (error) {
    if (!(error instanceof WaybillError)) throw error;
  }
}
