/** `send --wait`: shows progress until the delivery has an outcome, which decides the exit code. */
import type {
  DeliveryDetail,
  DeliveryStreamEvent,
  NewMessage,
  Sent,
  SentDelivery,
  WaybillClient,
} from "../client/index.ts";
import { WaybillError } from "../client/index.ts";
import type { CommandContext } from "./command.ts";
import { errorText, exitCodeOfOutcome, exitCodes } from "./errors.ts";
import {
  describeOutcome,
  describeStep,
  describeWait,
  isInterim,
  missingFilesLines,
  outcomeNote,
} from "./output/describe-delivery.ts";
import { oneLine } from "./output/format.ts";
import type { Output } from "./output/status-line.ts";
import { statusLine } from "./output/status-line.ts";
import { paintFor, printable } from "./output/terminal.ts";

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

type WaitProgress = {
  sent(sent: SentDelivery): void;
  event(event: DeliveryStreamEvent): void;
  error(error: WaybillError): void;
  end(delivery: DeliveryDetail): void;
  stop(): void;
};

/** The output of `send --wait`: lines of text, with a status line below them on a terminal, or lines of JSON. */
function jsonProgress(context: CommandContext): WaitProgress {
  const print = (value: unknown) => context.print(JSON.stringify(value));
  return {
    sent: () => {},
    event: print,
    error: (error) => context.printNote(errorText(error, context)),
    end: print,
    stop: () => {},
  };
}

export function textProgress({ print, printNote, env }: CommandContext, output: Output = process.stderr): WaitProgress {
  const startedAt = Date.now();
  // Not the context's `paint`: standard error may be a file while standard output is a terminal.
  const paint = paintFor(output, env);
  const display = statusLine(output, printNote);
  const elapsed = () => `${((Date.now() - startedAt) / 1000).toFixed(1)}s`.padStart(7);
  const printLine = (text: string) => display.line(`${paint("dim", elapsed())}  ${text}`);
  let previous: string | null = null;
  let waiting = "for the daemon";
  const showStatus = () => display.status(`${elapsed()}  waiting ${waiting} …`);
  let interval = output.isTTY ? setInterval(showStatus, 1000) : null;
  const stop = () => {
    if (interval === null) return;
    clearInterval(interval);
    interval = null;
    display.clear();
  };
  const report = (text: string | null, nextWait: string) => {
    waiting = nextWait;
    if (text === null || text === previous) return;
    previous = text;
    printLine(text);
    showStatus();
  };
  return {
    sent({ messageId, queuedBehindMessageId: ahead, waits }) {
      const behind = ahead === undefined ? "" : `, behind message ${oneLine(ahead)}`;
      report(`message ${oneLine(messageId)}${behind}`, ahead === undefined ? "for the agent" : "in line");
      if (waits !== undefined) report(`waiting: ${oneLine(waits)}`, "in line");
    },
    event: (event) => report(describeStep(event), describeWait(event)),
    error: () => report("lost the connection to the daemon; trying again", "for the daemon"),
    end(delivery) {
      stop();
      printLine(describeOutcome(delivery, paint));
      if (delivery.status !== "responded") printNote(oneLine(delivery.explanation));
      for (const reply of delivery.replies) {
        // Waybill's own notices repeat the status.
        const isAgents = reply.from !== "waybill" || reply.id === `answer-${delivery.id}`;
        // Scripts use standard output as the answer.
        const write = isInterim(reply) ? printNote : print;
        if (isAgents) write(printable(reply.text) + outcomeNote(reply));
      }
      for (const line of missingFilesLines(delivery)) print(line);
    },
    stop,
  };
}
