/** The API's types under short names. All of them come from the OpenAPI document. */
import type { components } from "./api-types.ts";

type Schemas = components["schemas"];

export type Attachment = Schemas["Attachment"];
export type NewMessage = Schemas["NewMessage"];
export type Sent = Schemas["Sent"];
export type SendResult = Schemas["SendResult"];
export type Message = Schemas["Message"];
export type MessagePage = Schemas["MessagePage"];
export type Delivery = Schemas["Delivery"];
export type ListedDelivery = Schemas["ListedDelivery"];
export type DeliveryDetail = Schemas["DeliveryDetail"];
export type Status = Delivery["status"];
export type NewLane = Schemas["NewLane"];
export type Lane = Schemas["Lane"];
export type Runtime = Schemas["Runtime"];
export type RunningProgram = Schemas["RunningProgram"];
export type DirectoryList = Schemas["DirectoryList"];
export type Team = Schemas["Team"];
export type Member = Schemas["Member"];
export type NewTeam = Schemas["NewTeam"];
export type TeamImport = Schemas["TeamImport"];
export type NewMember = Schemas["NewMember"];
export type Unread = Schemas["Unread"];
export type Hold = Schemas["Hold"];
export type Ask = Schemas["Ask"];
export type AskAnswer = Schemas["AskAnswer"];
export type Alert = Schemas["Alert"];
export type Readiness = Schemas["Readiness"];
export type Stats = Schemas["Stats"];
export type DayStats = Schemas["DayStats"];
export type DayTotals = Schemas["DayTotals"];
export type Duration = Schemas["Duration"];
export type DoctorReport = Schemas["DoctorReport"];
export type DoctorCheck = Schemas["DoctorCheck"];
export type Version = Schemas["Version"];

/**
 * An event of the stream: messages, deliveries, lanes, alerts, teams, what members are doing, and what agents do.
 * `cursor` is where to continue after it.
 */
export type StreamEvent = Exclude<Schemas["StreamEvent"], { type: "open" }> & { cursor: string };
export type DeliveryStreamEvent = Extract<StreamEvent, { type: "delivery" }>;

/** What an agent did or said. */
export type UniversalEvent = Schemas["UniversalEvent"];
/** An event of the event stream. `cursor` is where to continue from; a delta has the cursor of the event before it. */
export type FollowedEvent = (Schemas["UniversalEvent"] | Schemas["StreamReset"]) & { cursor: string };
/** The open turn of a lane, with its text so far. */
export type LiveTurn = Schemas["LiveTurn"];
export type Item = Schemas["Item"];
export type Part = Schemas["Part"];
export type EventPage = Schemas["EventPage"];
export type LaneEventPage = Schemas["LaneEventPage"];

export const outcomes = ["responded", "failed_terminal", "cancelled"] as const satisfies readonly Status[];

/**
 * Whether a delivery has ended. One that failed for good may still be retried or proven late. Completed work counts
 * once the agent was asked for a summary, if it is asked at all.
 */
export function hasOutcome({
  status,
  responsePending = false,
}: {
  status: Status;
  responsePending?: boolean;
}): boolean {
  return (outcomes as readonly Status[]).includes(status) && !(status === "responded" && responsePending);
}

/** The recipient of a message, for people. */
export function recipientName(to: Message["to"]): string {
  if ("lane" in to) return to.lane;
  return "person" in to ? to.person : `${to.member} of ${to.team}`;
}
