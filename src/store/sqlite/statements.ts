/** The prepared statements of an open store, by what they are about. */
import type Database from "better-sqlite3";
import { deliveryStatements } from "./deliveries.ts";
import { handOverStatements } from "./hand-overs.ts";
import { dayStatsStatements, exchangeStatements, laneStatements, teamStatements, usageStatements } from "./lanes.ts";
import { logWriter } from "./log/log.ts";
import { mailStatements } from "./mail.ts";

export type Statements = ReturnType<typeof prepareStatements>;

export function prepareStatements(db: Database.Database) {
  return {
    lanes: laneStatements(db),
    teams: teamStatements(db),
    exchanges: exchangeStatements(db),
    mail: mailStatements(db),
    handOvers: handOverStatements(db),
    deliveries: deliveryStatements(db),
    log: logWriter(db),
    usage: usageStatements(db),
    dayStats: dayStatsStatements(db),
  };
}
