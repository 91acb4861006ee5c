/**
 * Agent tokens: each identifies its caller, works for the tools alone, and expires with its lane or member. They are
 * derived from the daemon's token, so there is no other secret to keep, and a new daemon token replaces them all.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { addressKey } from "../core/message/message.ts";
import type { LaneStore, TeamStore } from "../store/port.ts";
import type { AgentAddress } from "./admission.ts";

type Directory = Pick<LaneStore, "lane"> & Pick<TeamStore, "team">;

export type AgentTokens = {
  /** Null for an unknown agent. */
  tokenOf(agent: AgentAddress): Promise<string | null>;
  /** Null for a token that no known agent has. */
  agentOf(token: string): Promise<AgentAddress | null>;
};

export function agentTokens(secret: string, directory: Directory): AgentTokens {
  const tokenOf = async (agent: AgentAddress): Promise<string | null> => {
    const since = await bornAt(agent, directory);
    if (since === null) return null;
    const key = addressKey(agent);
    const mac = createHmac("sha256", secret).update(`waybill-agent-v1\0${key}\0${since}`).digest("base64url");
    return `wba.${Buffer.from(key).toString("base64url")}.${mac}`;
  };
  return {
    tokenOf,
    async agentOf(token) {
      const [, encoded] = /^wba\.([\w-]{1,400})\.[\w-]{43}$/.exec(token) ?? [];
      const agent = encoded === undefined ? null : agentIn(Buffer.from(encoded, "base64url").toString("utf8"));
      const expected = agent && (await tokenOf(agent));
      return expected && isSame(token, expected) ? agent : null;
    },
  };
}

/** An agent that was removed and created again is a different agent. */
async function bornAt(agent: AgentAddress, directory: Directory): Promise<number | null> {
  if (agent.kind === "lane") return (await directory.lane(agent.lane))?.createdAt ?? null;
  const team = await directory.team(agent.team);
  const member = team?.members.find(({ name, kind }) => name === agent.member && kind === "native");
  return member && member.terminatedAt === null ? member.createdAt : null;
}

function agentIn(key: string): AgentAddress | null {
  const [, lane, team, member] = /^(?:lane:(.+)|member:([^/]+)\/([^/]+))$/.exec(key) ?? [];
  if (lane !== undefined) return { kind: "lane", lane };
  return team !== undefined && member !== undefined ? { kind: "member", team, member } : null;
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
