/** The output of `send --wait`: lines of text, with a status line below them on a terminal, or lines of JSON. */
import type { DeliveryDetail, DeliveryStreamEvent, SentDelivery, WaybillError } from "../../client/index.ts";
import type { CommandContext } from "../command.ts";
import { errorText } from "../errors.ts";
import { describeOutcome, describeStep, describeWait } from "./describe-delivery.ts";
import { oneLine } from "./format.ts";
import { isInterim, missingFilesLines, outcomeNote } from "./message-notes.ts";
import type { Output } from "./status-line.ts";
import { statusLine } from "./status-line.ts";
import { paintFor, printable } from "./terminal.ts";

export type WaitProgress = {
  sent(sent: SentDelivery): void;
  event(event: DeliveryStreamEvent): void;
  error(error: WaybillError): void;
  end(delivery: DeliveryDetail): void;
  stop(): void;
};

export function jsonProgress(context: CommandContext): WaitProgress {
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
