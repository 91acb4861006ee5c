/** The stream's events about messages, deliveries, lanes and people, in the OpenAPI document. */
import { z } from "@hono/zod-openapi";
import { handOverStates } from "../../core/inbox/hand-over.ts";
import { inboxEvents } from "../../core/inbox/inbox-note.ts";
import { systemRowTypes } from "../../core/inbox/system-row.ts";
import { memberStates, teamStates } from "../../core/team/team.ts";
import {
  addressSchema,
  alertSchema,
  deliverySchema,
  laneSchema,
  messageSchema,
  nullableString,
  timeSchema,
} from "./schemas.ts";

/** Changes of messages, deliveries, lanes, teams and asks in the stream. */
export const ledgerItemSchema = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("message"), at: timeSchema, message: messageSchema }),
    z.object({
      type: z.literal("delivery"),
      at: timeSchema,
      event: z.string().openapi({ description: "What happened: submit, accepted, unanswered, proven, …" }),
      reason: nullableString,
      delivery: deliverySchema,
    }),
    z.object({
      type: z.literal("lane"),
      at: timeSchema,
      id: z.string(),
      removed: z.boolean(),
      pausedReason: nullableString,
    }),
    z.object({ type: z.literal("alert"), at: timeSchema, alert: alertSchema }),
    z.object({
      type: z.literal("team"),
      at: timeSchema,
      name: z.string(),
      removed: z.boolean(),
      state: z.enum(teamStates).nullable(),
      members: z.array(z.string()),
    }),
    z.object({
      type: z.literal("member"),
      at: timeSchema,
      team: z.string(),
      member: z.string(),
      lane: nullableString,
      state: z.enum(memberStates).openapi({ description: "What the member is doing now. This event is not kept." }),
    }),
    z.object({
      type: z.literal("ask"),
      at: timeSchema,
      id: z.string(),
      lane: z.string(),
      open: z.boolean().openapi({
        description: "Whether the ask is open or resolved. This event is not kept: GET /v1/asks lists open asks.",
      }),
    }),
    z.object({
      type: z.literal("read"),
      at: timeSchema,
      to: addressSchema.openapi({
        description: "The mailbox where messages were marked as read. This event is not kept.",
      }),
    }),
    z.object({
      type: z.literal("inbox"),
      at: timeSchema,
      team: z.string(),
      inbox: nullableString.openapi({ description: "The owner of the inbox file; null for the team's directory." }),
      lane: nullableString,
      event: z.enum(inboxEvents).openapi({ description: "What happened in a team's inbox files." }),
      messageId: nullableString,
      state: z.enum(handOverStates).nullable(),
      rowType: z.enum(systemRowTypes).nullable(),
      from: nullableString,
      reason: nullableString,
      detail: nullableString,
    }),
  ])
  .openapi("LedgerItem");

export const openedSchema = z.object({ type: z.literal("open"), at: timeSchema }).openapi("StreamOpened");

export const resetSchema = z
  .object({
    type: z.literal("reset"),
    at: timeSchema,
    lanes: z
      .array(laneSchema)
      .openapi({ description: "The current state of all lanes, with the delivery that holds each." }),
  })
  .openapi("StreamReset");
