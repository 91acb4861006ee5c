/** A team's own `config.json`: its members, its lead, and the form of the rows they write. Pure. */
import { canonicalName, leadRole } from "../team/team.ts";
import type { RowForm } from "./row.ts";

/** The sender name Waybill uses for programs that trust no other outsider. */
export const fileSender = "waybill";

export type ConfigMember = {
  /** The name of its inbox file. */
  fileName: string;
  /** A slug. */
  name: string;
  role: string | null;
  joinedAt: number | null;
};

/** `start` distinguishes it from a later process with the same pid; `since` is when it became the lead. */
export type LeadProcess = { pid: number; start: string | null; since: number | null };

export type TeamConfig = {
  name: string | null;
  form: RowForm;
  /** The process that leads the team of a session. */
  lead: LeadProcess | null;
  /** Whether the team's agents know Waybill, and so can answer it. */
  knowsWaybill: boolean;
  members: readonly ConfigMember[];
};

/** Null if the value is not a team configuration. Members whose names cannot be file names are left out. */
export function teamConfigIn(value: unknown): TeamConfig | null {
  if (!isObject(value)) return null;
  const { name, leadAgentId, leadProcess, members } = value;
  const lead = typeof leadAgentId === "string" ? memberName(leadAgentId.split("@")[0]) : null;
  const named = Array.isArray(members) ? members.flatMap((member) => memberIn(member, lead)) : [];
  return {
    name: typeof name === "string" && name.trim() !== "" ? name.trim() : null,
    form: isObject(leadProcess) ? "session" : "classic",
    lead: leadProcessIn(leadProcess),
    knowsWaybill: named.some((member) => member.name === fileSender),
    members: named.filter((member) => member.name !== fileSender),
  };
}

function leadProcessIn(value: unknown): LeadProcess | null {
  if (!isObject(value)) return null;
  const { pid, procStart, claimedAt } = value;
  if (typeof pid !== "number") return null;
  return {
    pid,
    start: typeof procStart === "string" ? procStart : null,
    since: typeof claimedAt === "number" ? claimedAt : null,
  };
}

const leadTypes = ["team-lead", "lead", "leader"];

function memberIn(value: unknown, lead: string | null): ConfigMember[] {
  if (!isObject(value) || typeof value.name !== "string" || /[/\\\0]|\.\./.test(value.name)) return [];
  const name = memberName(value.name);
  if (name === null) return [];
  const { agentType, joinedAt } = value;
  const type = typeof agentType === "string" && agentType.trim() !== "" ? agentType.trim().slice(0, 128) : null;
  const isLead = name === lead || (lead === null && (leadTypes.includes(type ?? "") || leadTypes.includes(name)));
  return [
    {
      fileName: fileNameOf(value.name),
      name,
      role: isLead ? leadRole : type,
      joinedAt: typeof joinedAt === "number" && Number.isFinite(joinedAt) ? joinedAt : null,
    },
  ];
}

/** Turns a name into a file name; compare `memberName`. */
export function fileNameOf(name: string): string {
  return name.trim().replaceAll(/[^A-Za-z0-9_-]/g, "-");
}

/** The member that a name or file name refers to; null if it is not a valid name. */
export function memberName(written: string | undefined): string | null {
  const name = canonicalName(fileNameOf(written ?? "")).replace(/^[-_]+/, "");
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name) ? name : null;
}

/** The team's name: from its configuration, else from its directory. */
export function teamName(config: TeamConfig | null, directoryName: string): string | null {
  return memberName(config?.name ?? directoryName) ?? memberName(directoryName);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
