/** The exchanges between pairs of lanes, and which pairs are held. */
import type Database from "better-sqlite3";
import type { DeliveryRecord } from "../../core/delivery/record.ts";
import type { Exchange, ExchangePair } from "../../core/team/exchange.ts";
import { isSamePair, pairOf } from "../../core/team/exchange.ts";

export function exchangeStatements(db: Database.Database) {
  const columns = "one, other, count, began_at AS beganAt, held_at AS heldAt";
  const find = db.prepare<ExchangePair, Exchange>(
    `SELECT ${columns} FROM exchange WHERE one = @one AND other = @other`,
  );
  const held = db.prepare<[], Exchange>(
    `SELECT ${columns} FROM exchange WHERE held_at IS NOT NULL ORDER BY held_at, one, other`,
  );
  const save = db.prepare<Exchange>(`
    INSERT INTO exchange (one, other, count, began_at, held_at) VALUES (@one, @other, @count, @beganAt, @heldAt)
    ON CONFLICT (one, other) DO UPDATE SET
      count = excluded.count, began_at = excluded.began_at, held_at = excluded.held_at`);
  const end = db.prepare<[string, string]>("DELETE FROM exchange WHERE (one = ? OR other = ?) AND held_at IS NULL");
  const endAll = db.prepare<[string, string]>("DELETE FROM exchange WHERE one = ? OR other = ?");
  const forget = db.prepare<ExchangePair>("DELETE FROM exchange WHERE one = @one AND other = @other");
  const any = db.prepare<[], number>("SELECT 1 FROM exchange LIMIT 1").pluck();

  return {
    /** Most stores never have one, and every message checks. */
    mayHaveAny: any.get() !== undefined,
    find: (pair: ExchangePair): Exchange | null => find.get(pair) ?? null,
    held: (): Exchange[] => held.all(),
    save(exchange: Exchange): void {
      save.run(exchange);
      this.mayHaveAny = true;
    },
    /** Something else happened in the lane. Held pairs stay held. */
    end: (laneId: string): void => void end.run(laneId, laneId),
    /** With the lane removed, there is nothing left to hold. */
    laneRemoved: (laneId: string): void => void endAll.run(laneId, laneId),
    remove: (pair: ExchangePair): void => void forget.run(pair),
  };
}

export function isFromLane({ replyTo }: DeliveryRecord, laneId: string): boolean {
  return replyTo?.kind === "lane" && replyTo.lane === laneId;
}

/** Whether one lane of the pair sent it to the other. */
export function isBetween({ laneId, replyTo }: DeliveryRecord, pair: ExchangePair): boolean {
  return replyTo?.kind === "lane" && isSamePair(pairOf(laneId, replyTo.lane), pair);
}
