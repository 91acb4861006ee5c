/** The schemas of teams, of people's mailboxes, and of agents that are held. */
import { z } from "@hono/zod-openapi";
import { memberColors, memberKinds, memberStates, teamStates } from "../../core/team/team.ts";
import { nameSchema } from "../../mail/message-schema.ts";
import { laneSlug, nullableString, nullableTime, timeSchema } from "./schemas.ts";

const contracts = z.enum(["text", "tool"]);
const displayName = z.string().trim().min(1).max(128).nullable().optional();

export const newTeamSchema = z.strictObject({ displayName }).openapi("NewTeam");

export const newMemberSchema = z
  .strictObject({
    kind: z.enum(memberKinds).default("lane").openapi({
      description: "`lane`: Waybill runs it. `native`: somebody else does. `person`: reads an inbox.",
    }),
    lane: laneSlug
      .optional()
      .openapi({ description: "Of kind `lane`: where it works; by default the lane of its name." }),
    displayName,
    role: nameSchema.nullable().optional().openapi({ description: "`lead` makes it the team's lead." }),
    color: z.enum(memberColors).nullable().optional(),
    contract: contracts.optional().openapi({ description: "The reply contract of its lane." }),
  })
  .openapi("NewMember");

export const memberSchema = z
  .object({
    name: z.string(),
    kind: z.enum(memberKinds),
    lane: nullableString,
    displayName: nullableString,
    role: nullableString,
    color: z.enum(memberColors).nullable(),
    contract: contracts.nullable(),
    state: z.enum(memberStates),
    terminatedAt: nullableTime,
    createdAt: timeSchema,
  })
  .openapi("Member");

export const teamSchema = z
  .object({
    name: z.string(),
    displayName: nullableString,
    state: z.enum(teamStates),
    directory: nullableString.openapi({ description: "Where its members write to each other in files." }),
    createdAt: timeSchema,
    members: z.array(memberSchema),
    notices: z.array(z.object({ code: z.string(), message: z.string() })).openapi({
      description: "What does not go as it should with its inbox files.",
    }),
  })
  .openapi("Team");

export const teamImportSchema = z
  .strictObject({
    directory: z.string().min(1).max(4096).openapi({ description: "Where its config.json and its inboxes are." }),
    name: nameSchema.optional().openapi({ description: "By default what the team calls itself." }),
    lanes: z.record(z.string().min(1).max(64), laneSlug).optional().openapi({
      description: "The members that Waybill is to run, each with its lane. Others run all the rest.",
    }),
    join: z.boolean().optional().openapi({
      description:
        "Of a Claude Code session: makes Waybill a member in its `config.json`, so that its agents can answer. Without it they cannot.",
    }),
  })
  .openapi("TeamImport");

export const memberTokenSchema = z
  .object({ token: z.string().openapi({ description: "Good for the tools at `/mcp` alone." }) })
  .openapi("MemberToken");

export const readMarksSchema = z
  .strictObject({
    person: nameSchema.optional().openapi({ description: '"user" unless said otherwise.' }),
    ids: z
      .array(z.string().min(1).max(128))
      .max(1000)
      .optional()
      .openapi({ description: "The messages that were read; without them, all." }),
  })
  .openapi("ReadMarks");

export const readCountSchema = z
  .object({ marked: z.number().int().openapi({ description: "How many were unread before." }) })
  .openapi("ReadCount");

export const holdSchema = z
  .object({
    lanes: z.array(z.string()).openapi({ description: "The two whose agents write to each other." }),
    count: z.number().int().openapi({ description: "How many messages they wrote." }),
    beganAt: timeSchema,
    heldAt: timeSchema,
  })
  .openapi("Hold");

export const releaseSchema = z.strictObject({ lanes: z.tuple([laneSlug, laneSlug]) }).openapi("Release");

export const releasedSchema = z
  .object({ released: z.number().int().openapi({ description: "How many messages go on." }) })
  .openapi("Released");
