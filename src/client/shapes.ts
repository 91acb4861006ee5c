/** What the API takes and gives, under short names. All of it comes from the OpenAPI document. */
import type { components } from "./api-types.ts";

type Schemas = components["schemas"];

export type Attachment = Schemas["Attachment"];
export type NewMessage = Schemas["NewMessage"];
export type Sent = Schemas["Sent"];
export type SendResult = Schemas["SendResult"];
export type Message = Schemas["Message"];
export type Delivery = Schemas["Delivery"];
export type DeliveryDetail = Schemas["DeliveryDetail"];
export type Status = Delivery["status"];
export type NewLane = Schemas["NewLane"];
export type Lane = Schemas["Lane"];
export type Team = Schemas["Team"];
export type Member = Schemas["Member"];
export type NewTeam = Schemas["NewTeam"];
export type TeamImport = Schemas["TeamImport"];
export type NewMember = Schemas["NewMember"];
export type Hold = Schemas["Hold"];
export type Ask = Schemas["Ask"];
export type AskAnswer = Schemas["AskAnswer"];
export type Alert = Schemas["Alert"];
export type Readiness = Schemas["Readiness"];
export type Version = Schemas["Version"];

/** What the stream brings: messages, deliveries, lanes, alerts, teams, what members are doing, and what agents do. `cursor` is where to go on after it. */
export type StreamEvent = Exclude<Schemas["StreamEvent"], { type: "open" }> & { cursor: string };
export type DeliveryStreamEvent = Extract<StreamEvent, { type: "delivery" }>;

/** What an agent did or said. */
export type UniversalEvent = Schemas["UniversalEvent"];
/** The same as the stream of events brings it. `cursor` is where to go on from; a delta has that of the event before. */
export type FollowedEvent = (Schemas["UniversalEvent"] | Schemas["StreamReset"]) & { cursor: string };
export type EventPage = Schemas["EventPage"];

export const outcomes = ["responded", "failed_terminal", "cancelled"] as const satisfies readonly Status[];

/**
 * Whether a delivery came to an end. What failed for good may still be retried, or proven late. Work that is done counts
 * once the agent was asked to say something about it, where it is asked.
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

/** Whoever a message is for, as people read it. */
export function recipientName(to: Message["to"]): string {
  if ("lane" in to) return to.lane;
  return "person" in to ? to.person : `${to.member} of ${to.team}`;
}
