/** The schemas of teams, people's mailboxes and holds. */
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
      description: "`lane`: Waybill runs it. `native`: another program runs it. `person`: a person who reads an inbox.",
    }),
    lane: laneSlug
      .optional()
      .openapi({ description: "For kind `lane`: where it works. By default the lane with its name." }),
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
    directory: nullableString.openapi({ description: "The directory of its inbox files; null if it has none." }),
    createdAt: timeSchema,
    members: z.array(memberSchema),
    notices: z.array(z.object({ code: z.string(), message: z.string() })).openapi({
      description: "Problems with its inbox files.",
    }),
  })
  .openapi("Team");

export const teamImportSchema = z
  .strictObject({
    directory: z
      .string()
      .min(1)
      .max(4096)
      .openapi({ description: "The directory with its config.json and its inboxes." }),
    name: nameSchema.optional().openapi({ description: "By default the name in the team's config.json." }),
    lanes: z.record(z.string().min(1).max(64), laneSlug).optional().openapi({
      description: "The members that Waybill should run, each with its lane. Waybill does not run the others.",
    }),
    join: z.boolean().optional().openapi({
      description:
        "For a Claude Code session: adds Waybill as a member to its `config.json`. Its agents can answer Waybill only then.",
    }),
  })
  .openapi("TeamImport");

export const memberTokenSchema = z
  .object({ token: z.string().openapi({ description: "Valid only for the tools at `/mcp`." }) })
  .openapi("MemberToken");

export const readMarksSchema = z
  .strictObject({
    person: nameSchema.optional().openapi({ description: '"user" by default.' }),
    ids: z
      .array(z.string().min(1).max(128))
      .max(1000)
      .optional()
      .openapi({ description: "The messages to mark; all if omitted." }),
  })
  .openapi("ReadMarks");

export const readCountSchema = z
  .object({ marked: z.number().int().openapi({ description: "How many of them were unread." }) })
  .openapi("ReadCount");

export const unreadSchema = z
  .object({
    person: z.string(),
    total: z.number().int().openapi({ description: "The number of unread messages among the newest 10,000." }),
    lanes: z.record(z.string(), z.number().int()).openapi({
      description: "Counts by the lane whose conversation they belong to.",
    }),
    members: z.record(z.string(), z.number().int()).openapi({
      description:
        "Counts of messages that belong to no lane, by `team/member`: the conversations with members that Waybill does not run.",
    }),
  })
  .openapi("Unread");

export const holdSchema = z
  .object({
    lanes: z.array(z.string()).openapi({ description: "The two lanes whose agents write to each other." }),
    count: z.number().int().openapi({ description: "How many messages they wrote to each other." }),
    beganAt: timeSchema,
    heldAt: timeSchema,
  })
  .openapi("Hold");

export const releaseSchema = z.strictObject({ lanes: z.tuple([laneSlug, laneSlug]) }).openapi("Release");

export const releasedSchema = z
  .object({ released: z.number().int().openapi({ description: "How many messages were released." }) })
  .openapi("Released");
