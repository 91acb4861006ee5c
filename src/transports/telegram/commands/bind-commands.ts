/** `/bind` and `/unbind`: send a topic's messages to a lane, a team member or a team instead of its own agent. */
import { canonicalName, leadRole, memberCalled } from "../../../core/team/team.ts";
import { AppError } from "../../../platform/app-error.ts";
import { nearest } from "../../../platform/nearest.ts";
import type { Service } from "../../../service/service.ts";
import { both } from "../telegram-context.ts";
import type { Binding } from "../topics/topic.ts";
import { bindingName } from "../topics/topic.ts";
import type { Command } from "./command.ts";
import { answer } from "./command.ts";

export const bind: Command = {
  name: "bind",
  description: "Send this topic's messages to a lane, TEAM/MEMBER or TEAM (administrators only)",
  adminOnly: true,
  changesTopic: true,
  async run(call, { service, topics, clock }) {
    const { topic, args } = call;
    if (args === "") return answer(call, boundText(topic.boundTo));
    const boundTo = await bindingTo(args, service);
    return both({ state: topics.keep({ ...topic, boundTo }, clock.now()) }, answer(call, boundText(boundTo)));
  },
};

export const unbind: Command = {
  name: "unbind",
  description: "Return to the topic's own agent (administrators only)",
  adminOnly: true,
  changesTopic: true,
  async run(call, { topics, clock }) {
    const { topic } = call;
    if (topic.boundTo === null) return answer(call, boundText(null));
    const words = "This topic uses its own agent again.";
    return both({ state: topics.keep({ ...topic, boundTo: null }, clock.now()) }, answer(call, words));
  },
};

export function boundText(binding: Binding | null): string {
  if (binding === null) return "This topic is not bound. Use `/bind LANE`, `/bind TEAM/MEMBER` or `/bind TEAM`.";
  const name = bindingName(binding);
  const who = "team" in binding && !("member" in binding) ? `the lead of team \`${name}\`` : `\`${name}\``;
  return `What you write in this topic goes to ${who}, and its alerts appear here. Use /unbind to undo this.`;
}

/** A lane takes precedence over a team of the same name. */
async function bindingTo(written: string, service: Service): Promise<Binding> {
  const [teamName = "", memberName] = written.split("/");
  if (memberName !== undefined) {
    const team = await service.team(teamName);
    const member = memberCalled(team, memberName);
    if (member) return { team: team.name, member: member.name };
    throw unknown(`Team "${team.name}" has no member "${memberName}".`, memberName, namesOf(team.members));
  }
  const [lanes, teams] = await Promise.all([service.lanes(), service.teams()]);
  if (lanes.some(({ lane }) => lane.id === written)) return { lane: written };
  const team = teams.find(({ name }) => name === canonicalName(written));
  if (!team) {
    const known = [...lanes.map(({ lane }) => lane.id), ...namesOf(teams)];
    throw unknown(`There is no lane or team "${written.slice(0, 80)}".`, written, known);
  }
  if (memberCalled(team, leadRole)) return { team: team.name };
  const hint = `Bind the topic to one of its members: ${namesOf(team.members).join(", ")}.`;
  throw new AppError({ code: "member_unknown", message: `Team "${team.name}" has no lead.`, hint });
}

function namesOf(named: readonly { name: string }[]): string[] {
  return named.map(({ name }) => name);
}

function unknown(message: string, written: string, known: readonly string[]): AppError {
  const meant = nearest(written, known);
  const hint = meant === null ? "Run `waybill lanes` and `waybill teams` to list them." : `Did you mean "${meant}"?`;
  return new AppError({ code: "recipient_unknown", message, hint });
}
