/** The schemas of teams, people's mailboxes and holds. */

import { z } from "@hono/zod-openapi";
import { memberColors, memberKinds, memberStates, teamStates } from "../../core/team/team.ts";
import { nameSchema } from "../../mail/message-schema.ts";
import { laneSlug, nullableString, nullableTime, requestSchema, responseSchema, timeSchema } from "./schemas.ts";

const contracts = z.enum(["text", "tool"]);
const displayName = z.string().trim().min(1).max(128).nullable().optional();

export const newTeamSchema = requestSchema("NewTeam", { displayName });

export const newMemberSchema = requestSchema("NewMember", {
  kind: z
    .enum(memberKinds)
    .default("lane")
    .describe("`lane`: Waybill runs it. `native`: another program runs it. `person`: a person who reads an inbox."),
  lane: laneSlug.optional().describe("For kind `lane`: where it works. By default the lane with its name."),
  displayName,
  role: nameSchema.nullable().optional().describe("`lead` makes it the team's lead."),
  color: z.enum(memberColors).nullable().optional(),
  contract: contracts.optional().describe("The reply contract of its lane."),
});

export const memberSchema = responseSchema("Member", {
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
});

export const teamSchema = responseSchema("Team", {
  name: z.string(),
  displayName: nullableString,
  state: z.enum(teamStates),
  directory: nullableString.describe("The directory of its inbox files; null if it has none."),
  createdAt: timeSchema,
  members: z.array(memberSchema),
  notices: z.array(z.object({ code: z.string(), message: z.string() })).describe("Problems with its inbox files."),
});

export const teamImportSchema = requestSchema("TeamImport", {
  directory: z.string().min(1).max(4096).describe("The directory with its config.json and its inboxes."),
  name: nameSchema.optional().describe("By default the name in the team's config.json."),
  lanes: z
    .record(z.string().min(1).max(64), laneSlug)
    .optional()
    .describe("The members that Waybill should run, each with its lane. Waybill does not run the others."),
  join: z
    .boolean()
    .optional()
    .describe(
      "For a Claude Code session: adds Waybill as a member to its `config.json`. Its agents can answer Waybill only then.",
    ),
});

export const memberTokenSchema = responseSchema("MemberToken", {
  token: z.string().describe("Valid only for the tools at `/mcp`."),
});

export const readMarksSchema = requestSchema("ReadMarks", {
  person: nameSchema.optional().describe('"user" by default.'),
  ids: z.array(z.string().min(1).max(128)).max(1000).optional().describe("The messages to mark; all if omitted."),
});

export const readCountSchema = responseSchema("ReadCount", {
  marked: z.int().describe("How many of them were unread."),
});

export const unreadSchema = responseSchema("Unread", {
  person: z.string(),
  total: z.int().describe("The number of unread messages among the newest 10,000."),
  lanes: z.record(z.string(), z.int()).describe("Counts by the lane whose conversation they belong to."),
  members: z
    .record(z.string(), z.int())
    .describe(
      "Counts of messages that belong to no lane, by `team/member`: the conversations with members that Waybill does not run.",
    ),
});

export const holdSchema = responseSchema("Hold", {
  lanes: z.array(z.string()).describe("The two lanes whose agents write to each other."),
  count: z.int().describe("How many messages they wrote to each other."),
  beganAt: timeSchema,
  heldAt: timeSchema,
});

export const releaseSchema = requestSchema("Release", { lanes: z.tuple([laneSlug, laneSlug]) });

export const releasedSchema = responseSchema("Released", {
  released: z.int().describe("How many messages were released."),
});
