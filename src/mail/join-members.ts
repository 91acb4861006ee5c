/** Adds members that the team's own configuration names and Waybill does not know yet. Waybill does not run them. */

import type { TeamConfig } from "../core/inbox/team-config.ts";
import type { Team } from "../core/team/team.ts";
import { isReserved, leadRole, nameProblem } from "../core/team/team.ts";
import type { Clock } from "../platform/clock.ts";
import type { TeamStore } from "../store/port.ts";

export async function joinMembers(config: TeamConfig, team: Team, store: TeamStore, clock: Clock): Promise<void> {
  for (const { name, role, joinedAt } of config.members) {
    const known = team.members.find((member) => member.name === name);
    if (known) {
      const isBack = known.terminatedAt !== null && joinedAt !== null && joinedAt > known.terminatedAt;
      if (isBack && known.kind === "native") await store.terminateMember(team.name, name, null);
      continue;
    }
    if (nameProblem(name, role) !== null || (isReserved(name) && role !== leadRole)) continue;
    const member = { team: team.name, name, kind: "native", lane: null } as const;
    await store.putMember({ ...member, displayName: null, role, color: null, createdAt: clock.now() });
  }
}
