/** One transaction of a plan: loads the facts that it needs, and writes the rows that it has decided. */
import type { Message } from "../../core/message/message.ts";
import type { InboxFacts } from "../../core/plan/delivery-plans.ts";
import { conversationOf } from "../../core/plan/delivery-plans.ts";
import type { Writes } from "../../core/plan/writes.ts";
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

/** In the order in which the rows refer to each other. */
export function rowWriter(statements: Statements): (writes: Writes) => void {
  const { lanes, teams, exchanges, mail, handOvers, deliveries, log, usage, dayStats } = statements;

  const writeLanesAndTeams = (writes: Writes): void => {
    const { removedLane, session, removedTeam, closedInboxes, openedInboxes } = writes;
    for (const lane of writes.lanes ?? []) lanes.save(lane);
    if (session) lanes.addSession(session);
    for (const team of writes.teams ?? []) teams.save(team);
    if (closedInboxes !== undefined) handOvers.close(closedInboxes);
    if (openedInboxes) handOvers.oweUnread(openedInboxes.team, openedInboxes.at);
    if (removedTeam !== undefined) teams.remove(removedTeam);
    if (removedLane) {
      exchanges.laneRemoved(removedLane.id);
      lanes.remove(removedLane.id, removedLane.at);
    }
    // Whether a lane may work depends on its team.
    if (writes.teams || removedTeam !== undefined) lanes.forget();
  };
  const writeDeliveries = ({ deliveries: begun, change, readAt, dayStats: changed, handOver }: Writes): void => {
    for (const record of begun ?? []) deliveries.begin(record, mail.seqOf(record));
    if (change) {
      const seq = deliveries.change(change.before, change.record);
      if (readAt !== undefined) mail.markRead(seq, change.record, readAt);
    }
    for (const stats of changed ?? []) dayStats.save(stats);
    if (handOver) {
      const { recipient, handOver: next } = handOver;
      handOvers.save(mail.find(recipient, next.messageId)?.seq ?? 0, next);
    }
  };
  const writeUsage = ({ laneId, entries, increases }: NonNullable<Writes["usage"]>): void => {
    for (const entry of entries) usage.save(laneId, entry);
    for (const increase of increases) dayStats.addUsage(laneId, increase);
  };
  const writeExchanges = ({ exchange, exchangesEnded, removedExchange }: Writes): void => {
    if (exchange) exchanges.save(exchange);
    if (exchangesEnded !== undefined) exchanges.end(exchangesEnded);
    if (removedExchange) exchanges.remove(removedExchange);
  };

  return (writes) => {
    const { messages = [], usage: used, alert, log: entries = [], trims = [] } = writes;
    writeLanesAndTeams(writes);
    if (used) writeUsage(used);
    const seqs = messages.map(({ message, payloadHash, inbox }) => {
      const seq = mail.insert(message, payloadHash);
      if (inbox) handOvers.owe(seq, inbox, message.createdAt);
      return seq;
    });
    writeDeliveries(writes);
    writeExchanges(writes);
    if (alert) log.saveAlert(alert);
    for (const entry of entries) {
      switch (entry.type) {
        case "message":
          log.addMessage(seqs[messages.findIndex(({ message }) => message === entry.message)] ?? 0, entry.message);
          break;
        case "delivery":
          log.addEvents(deliveries.find(entry.change.record.id)?.seq ?? 0, entry.change);
          break;
        case "event":
          log.addEvent(entry.event);
          break;
        default:
          log.add(entry);
      }
    }
    for (const trim of trims) log.trim(trim);
  };
}
