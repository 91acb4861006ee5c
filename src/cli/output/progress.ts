/** What `send --wait` shows on the way: lines for people, with a status below them on a terminal, or lines of JSON. */
import type { DeliveryDetail, DeliveryStreamEvent, Sent, WaybillError } from "../../client/index.ts";
import type { CommandContext } from "../command.ts";
import { outcomeLines } from "./outcome-lines.ts";
import type { Output } from "./screen.ts";
import { statusLine } from "./screen.ts";
import type { Step } from "./steps.ts";
import { stepWords, waitingFor } from "./steps.ts";
import { paintFor } from "./terminal.ts";
import { oneLine } from "./words.ts";

export type Progress = {
  sent(sent: Sent): void;
  event(event: DeliveryStreamEvent): void;
  trouble(error: WaybillError): void;
  end(delivery: DeliveryDetail): void;
  stop(): void;
};

export function jsonProgress({ print, remark }: CommandContext): Progress {
  return {
    sent: () => {},
    event: (event) => print(JSON.stringify(event)),
    trouble: ({ code, message }) => remark(JSON.stringify({ trouble: { code, message } })),
    end: (delivery) => print(JSON.stringify(delivery)),
    stop: () => {},
  };
}

export function livelyProgress({ print, remark, env }: CommandContext, output: Output = process.stderr): Progress {
  const started = Date.now();
  // Progress goes elsewhere than the result, and may be in a file when that is on a terminal.
  const paint = paintFor(output, env);
  const screen = statusLine(output, remark);
  const elapsed = () => `${((Date.now() - started) / 1000).toFixed(1)}s`.padStart(7);
  let last: string | null = null;
  let waiting = "for the daemon";
  const show = () => screen.status(`${elapsed()}  waiting ${waiting} …`);
  let ticking = output.isTTY ? setInterval(show, 1000) : null;
  const stop = () => {
    if (ticking === null) return;
    clearInterval(ticking);
    ticking = null;
    screen.clear();
  };
  const say = (words: string | null, next: string) => {
    waiting = next;
    if (words === null || words === last) return;
    last = words;
    screen.line(`${paint("dim", elapsed())}  ${words}`);
    show();
  };
  return {
    sent({ messageId, queuedBehindMessageId: ahead }) {
      const behind = ahead === undefined ? "" : `, behind message ${oneLine(ahead)}`;
      say(`message ${oneLine(messageId)}${behind}`, ahead === undefined ? "for the agent" : "in line");
    },
    event(event) {
      const step = stepOf(event);
      say(stepWords(step), waitingFor(step));
    },
    trouble: () => say("the connection to the daemon is lost; trying again", "for the daemon"),
    end(delivery) {
      stop();
      const { progress, result } = outcomeLines(delivery, paint);
      screen.line(`${paint("dim", elapsed())}  ${progress}`);
      for (const line of result) print(line);
    },
    stop,
  };
}

export function stepOf({ event, reason, at, delivery }: DeliveryStreamEvent): Step {
  const waitMs = delivery.nextLookAt === null ? null : Date.parse(delivery.nextLookAt) - Date.parse(at);
  return {
    event,
    reason,
    attempt: delivery.attempts + delivery.repairs,
    // Shown later than it happened, the next look is another one.
    waitMs: delivery.status === "retry_scheduled" ? waitMs : null,
    responseState: delivery.responseState,
  };
}
