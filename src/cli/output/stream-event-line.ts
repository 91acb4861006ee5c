/** One line for each event of `waybill watch`. Pure. */
import type { DeliveryStreamEvent, Message, StreamEvent, UniversalEvent } from "../../client/index.ts";
import { recipientName } from "../../client/index.ts";
import { describeStep, outcomeNote, statusStyle } from "./describe-delivery.ts";
import { inParentheses, oneLine, shortId } from "./format.ts";
import { truncated } from "./table.ts";
import type { Paint } from "./terminal.ts";

/** What agents do is shown by `waybill follow` instead. */
type WatchedEvent = Exclude<StreamEvent, UniversalEvent>;

/** Null for events that are not worth a line. */
export function streamEventLine(event: StreamEvent, paint: Paint): string | null {
  if (!("at" in event)) return null;
  const text = eventText(event, paint);
  return text === null ? null : `${paint("dim", new Date(event.at).toLocaleTimeString("en-GB"))}  ${text}`;
}

function eventText(event: WatchedEvent, paint: Paint): string | null {
  switch (event.type) {
    case "message":
      return messageText(event.message, paint);
    case "delivery":
      return deliveryText(event, paint);
    case "lane":
      return `${paint("bold", oneLine(event.id))}  the lane ${laneChange(event)}`;
    case "alert": {
      const { kind, lane, reason, messageId } = event.alert;
      const about = inParentheses(messageId === null ? null : `message ${messageId}`);
      return `${paint("bold", oneLine(lane))}  ${paint("red", `alert: ${kind}`)}  ${oneLine(reason)}${about}`;
    }
    case "team":
      return `${paint("bold", oneLine(event.name))}  the team ${event.removed ? "was deleted" : `is ${event.state}`}`;
    case "member":
      return `${paint("bold", oneLine(event.team))}  ${oneLine(event.member)} is ${event.state}`;
    // The events of agents and team files show asks in more detail.
    case "ask":
    case "read":
      return null;
    case "inbox":
      return inboxText(event, paint);
    case "reset":
      return "the events since then are no longer kept; continuing from now";
    default:
      return event satisfies never;
  }
}

/** A line is for noticing a message; `waybill show` prints all of it. */
const maxTextWidth = 200;

function messageText(message: Message, paint: Paint): string {
  const { from, to, lane, text, id } = message;
  const names = `${oneLine(from)} → ${oneLine(recipientName(to))}`;
  const shown = truncated(oneLine(text), maxTextWidth);
  return `${paint("bold", oneLine(lane ?? "-"))}  ${paint("cyan", names)}: ${shown}${outcomeNote(message)} ${paint("dim", `[${oneLine(id)}]`)}`;
}

/** Describes what happened in a team's inbox files. */
function inboxText(event: Extract<WatchedEvent, { type: "inbox" }>, paint: Paint): string {
  const { team, inbox, event: what, messageId, state, rowType, from, reason, detail } = event;
  const where = paint("bold", oneLine(inbox === null ? team : `${team}/${inbox}`));
  const why = inParentheses(detail ?? reason);
  switch (what) {
    case "hand_over":
      return `${where}  ${shortId(messageId ?? "")}  ${(state ?? "").replaceAll("_", " ")}${why}`;
    case "restored":
      return `${where}  ${shortId(messageId ?? "")}  written again${why}`;
    case "system_row":
      return `${where}  ${oneLine(from ?? "")}: ${rowType ?? ""}${why}`;
    case "row_refused":
      return `${where}  ${paint("yellow", "a row was not accepted")}${why}`;
    case "problem":
      return `${where}  ${paint("red", "its file cannot be used")}${why}`;
    case "usable":
      return `${where}  its file can be used again`;
    default:
      return what satisfies never;
  }
}

const outcomeEvents = ["proven", "failed_terminal", "cancelled", "withdrawn"];

function deliveryText(event: DeliveryStreamEvent, paint: Paint): string | null {
  const { status, lane, messageId, reason } = event.delivery;
  const text = outcomeEvents.includes(event.event)
    ? `${paint(statusStyle[status], status)}${status === "responded" ? "" : inParentheses(reason)}`
    : describeStep(event);
  return text === null ? null : `${paint("bold", oneLine(lane))}  ${shortId(messageId)}  ${text}`;
}

function laneChange({ removed, pausedReason }: { removed: boolean; pausedReason: string | null }): string {
  if (removed) return "was removed";
  return pausedReason === null ? "is open" : `is paused${inParentheses(pausedReason)}`;
}
