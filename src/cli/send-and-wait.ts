/** `send --wait`: shows progress until the delivery has an outcome, which decides the exit code. */
import type { NewMessage, Sent, WaybillClient } from "../client/index.ts";
import { WaybillError } from "../client/index.ts";
import type { CommandContext } from "./command.ts";
import { exitCodeOfOutcome, exitCodes } from "./exit-codes.ts";
import { oneLine } from "./output/format.ts";
import { jsonProgress, textProgress } from "./output/wait-progress.ts";

export async function sendAndWait(
  client: WaybillClient,
  message: NewMessage,
  timeoutMs: number | null,
  context: CommandContext,
): Promise<number> {
  // Ctrl-C aborts all requests of the client.
  const timeout = timeoutMs === null ? new AbortController().signal : AbortSignal.timeout(timeoutMs);
  const progress = context.json ? jsonProgress(context) : textProgress(context);
  let sent: Sent | null = null;
  try {
    const delivery = await client.sendAndWait(message, {
      signal: timeout,
      onSent: (accepted) => {
        sent = accepted;
        progress.sent(accepted);
      },
      onEvent: progress.event,
      onError: progress.error,
    });
    progress.end(delivery);
    return exitCodeOfOutcome(delivery.status);
  } catch (error) {
    progress.stop();
    if (!context.interrupted.aborted && !timeout.aborted) throw error;
    await reportStoppedWaiting(client, sent, context, timeout.aborted);
    return timeout.aborted ? exitCodes.timedOut : exitCodes.interrupted;
  } finally {
    progress.stop();
  }
}

/** Only the waiting ended; the delivery continues. */
async function reportStoppedWaiting(
  client: WaybillClient,
  sent: Sent | null,
  { json, print, printNote, interrupted }: CommandContext,
  timedOut: boolean,
): Promise<void> {
  if (!json) {
    const how = timedOut ? "Stopped waiting" : "Stopped";
    printNote(
      sent === null
        ? "Stopped before the daemon confirmed the message; it may or may not have been accepted."
        : `${how}; the delivery continues. To check on it: waybill why ${oneLine(sent.messageId)}`,
    );
    return;
  }
  if (sent === null || interrupted.aborted) return;
  try {
    // Scripts get a delivery as the last line even after a timeout.
    print(JSON.stringify(await client.delivery(sent.deliveryId)));
  } catch (error) {
    if (!(error instanceof WaybillError)) throw error;
  }
}
