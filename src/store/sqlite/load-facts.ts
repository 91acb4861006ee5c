/** Loads the facts that plans need. Runs inside the transaction that also writes what a plan decides. */

import type { Message } from "../../core/message/message.ts";
import type { InboxFacts } from "../../core/plan/delivery-plans.ts";
import { conversationOf } from "../../core/plan/delivery-plans.ts";
import { changedDays } from "../../core/stats/day-stats.ts";
import type { Member } from "../../core/team/team.ts";
import { canonicalName } from "../../core/team/team.ts";
import type { Facts } from "../execute-plans.ts";
import type { Statements } from "./statements.ts";

export function factsFrom(statements: Statements): Facts {
  const { lanes, teams, exchanges, mail, handOvers, deliveries, log, usage, dayStats } = statements;
  const laneOf = (member: Pick<Member, "lane"> | null | undefined) =>
    member?.lane == null ? null : lanes.find(member.lane);
  const memberIn = (laneId: string) => {
    const member = teams.memberIn(laneId);
    return { member, team: member && teams.find(member.team) };
  };
  const inboxesFor = (messages: readonly Pick<Message, "fromLane" | "laneId">[]): InboxFacts => {
    const names = teams.withFiles();
    if (names.size === 0) return { teams: names, lanes: [] };
    const found = messages.map(conversationOf).map((id) => (id === null ? null : lanes.find(id)));
    return { teams: names, lanes: found.filter((lane) => lane !== null) };
  };
  const ownerOf = (laneId: string, sessionId: string) => ({
    owner: lanes.ownerOf(sessionId, laneId),
    generationFloor: lanes.generationFloor(),
  });
  const lastEvents = (ids: Iterable<string>) => new Map([...ids].map((id) => [id, log.lastSeq(id)]));

  return {
    lane: (id) => ({ id, lane: lanes.find(id) }),
    newLane({ id, team: name, member }) {
      const { member: before, team: teamBefore } = memberIn(id);
      const team = name === null ? null : teams.find(canonicalName(name));
      const named = member === null ? null : canonicalName(member);
      const laneBefore = laneOf(team?.members.find((one) => one.name === named));
      return { lane: lanes.find(id), ever: lanes.ever(id), member: before, teamBefore, team, laneBefore };
    },
    laneRemoval: (id) => ({
      id,
      lane: lanes.find(id),
      hasOpenDeliveries: deliveries.openIn(id).length > 0,
      ...memberIn(id),
    }),
    session: ({ laneId, sessionId }) => ({ id: laneId, lane: lanes.find(laneId), ...ownerOf(laneId, sessionId) }),
    fork: ({ lane: { id }, sessionId, events }) => ({
      isTaken: lanes.ever(id) !== null,
      ...ownerOf(id, sessionId ?? ""),
      lastEvents: lastEvents(new Set(events.map(({ event }) => event.lane))),
    }),

    team(name) {
      const team = teams.find(name);
      const worksIn = team?.members.map(laneOf) ?? [];
      return { name, team, lanes: worksIn.filter((lane) => lane !== null) };
    },
    newTeam: ({ name, directory }) => ({
      team: teams.find(name),
      owner: directory == null ? null : teams.inDirectory(directory),
    }),
    member(member) {
      const team = teams.find(member.team);
      const laneBefore = laneOf(team?.members.find(({ name }) => name === member.name));
      const works = member.lane === null ? null : teams.memberIn(member.lane);
      return { team, lane: laneOf(member), laneBefore, laneOf: works };
    },
    held: () => deliveries.held(),

    admission({ message, delivery, choice, exchange: pair }) {
      const known = mail.find(message.recipient, message.id);
      return {
        known: known && { ...known, delivery: deliveries.byMessage(known.seq) },
        lane: delivery && lanes.find(delivery.laneId),
        isUsed: delivery !== null && choice !== null && deliveries.isUsed(delivery.laneId),
        exchange: pair ? exchanges.find({ one: pair.one, other: pair.other }) : null,
        inboxes: inboxesFor([message]),
      };
    },
    events({ id, events, mail: outgoing }) {
      const record = deliveries.byId(id);
      const messages = outgoing.map(({ message }) => message);
      return {
        record,
        lane: record && lanes.find(record.laneId),
        holder: record && deliveries.holder(record.laneId),
        isStored: messages.map((message) => mail.find(message.recipient, message.id) !== null),
        inboxes: inboxesFor(messages),
        dayStats: record ? changedDays(record, events).flatMap((day) => dayStats.of(day, record.laneId) ?? []) : [],
      };
    },
    rebuild({ laneId, messageId }) {
      const known = mail.find({ kind: "lane", lane: laneId }, messageId);
      return { isMessageKnown: known !== null, existing: known && deliveries.byMessage(known.seq) };
    },
    handOver({ recipient, messageId }) {
      const known = mail.find(recipient, messageId);
      const handOver = known && handOvers.find(known.seq);
      return handOver && { handOver, message: known.message };
    },

    lastEvents,
    isRaised: (id) => log.isRaised(id),
    usage: ({ laneId, entries }) => ({
      known: usage.known(
        laneId,
        entries.map(({ messageId }) => messageId),
      ),
      countedFrom: usage.countedFrom(),
    }),
    none: () => undefined,
  };
}
