/** Writes the rows that a plan has decided, in the order in which they refer to each other. */
import type { Writes } from "../../core/plan/writes.ts";
import type { Statements } from "./statements.ts";

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
