/** One line for each thing that happens. Pure. */
import type { DeliveryStreamEvent, Message, StreamEvent } from "../../client/index.ts";
import { statusStyle } from "./outcome-lines.ts";
import { stepOf } from "./progress.ts";
import { stepWords } from "./steps.ts";
import type { Paint } from "./terminal.ts";
import { oneLine, shortId } from "./words.ts";

/** Null for what is not worth a line. */
export function eventLine(event: StreamEvent, paint: Paint): string | null {
  const words = eventWords(event, paint);
  return words === null ? null : `${paint("dim", clockTime(event.at))}  ${words}`;
}

function eventWords(event: StreamEvent, paint: Paint): string | null {
  switch (event.type) {
    case "message":
      return messageWords(event.message, paint);
    case "delivery":
      return deliveryWords(event, paint);
    case "lane":
      return `${paint("bold", oneLine(event.id))}  the lane ${laneChange(event)}`;
    case "alert": {
      const { kind, lane, reason, messageId } = event.alert;
      const about = messageId === null ? "" : ` (message ${oneLine(messageId)})`;
      return `${paint("bold", oneLine(lane))}  ${paint("red", `alert: ${kind}`)}  ${oneLine(reason)}${about}`;
    }
    case "reset":
      return "what happened since is not kept any more; it goes on from now";
    default:
      return event satisfies never;
  }
}

function messageWords({ from, to, lane, text, id }: Message, paint: Paint): string {
  const names = `${oneLine(from)} → ${oneLine("lane" in to ? to.lane : to.person)}`;
  return `${paint("bold", oneLine(lane ?? "-"))}  ${paint("cyan", names)}: ${oneLine(text)} ${paint("dim", `[${oneLine(id)}]`)}`;
}

const outcomeEvents = ["proven", "failed_terminal", "cancelled", "withdrawn"];

function deliveryWords(event: DeliveryStreamEvent, paint: Paint): string | null {
  const { status, lane, messageId, reason } = event.delivery;
  const because = reason === undefined || status === "responded" ? "" : ` (${oneLine(reason)})`;
  const words = outcomeEvents.includes(event.event)
    ? `${paint(statusStyle[status], status)}${because}`
    : stepWords(stepOf(event));
  return words === null ? null : `${paint("bold", oneLine(lane))}  ${shortId(messageId)}  ${words}`;
}

function laneChange({ removed, pausedReason }: { removed: boolean; pausedReason: string | null }): string {
  if (removed) return "was removed";
  return pausedReason === null ? "is open" : `is paused (${oneLine(pausedReason)})`;
}

function clockTime(time: string): string {
  return new Date(time).toLocaleTimeString("en-GB");
}
