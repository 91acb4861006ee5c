/** The daemon's queries cost the same with a long history as with a short one. */
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { deliveryStatements } from "./deliveries.ts";
import { deliveryPages } from "./delivery-pages.ts";
import { pruneStore } from "./housekeeping.ts";
import { dayStatsStatements, laneStatements, usageStatements } from "./lanes.ts";
import { logWriter } from "./log/log.ts";
import { logReader } from "./log/read-log.ts";
import { trimEvents } from "./log/trim-log.ts";
import { mailStatements } from "./mail.ts";
import { migrate } from "./migrate.ts";

/** Every statement that `use` prepares, with its query plan. */
function plansOf(use: (db: Database.Database) => void): { sql: string; plan: string[] }[] {
  const db = new Database(":memory:");
  migrate(db, ":memory:");
  const prepare = db.prepare.bind(db);
  const asked: string[] = [];
  db.prepare = ((sql: string) => {
    asked.push(sql.replaceAll(/\s+/g, " ").trim());
    return prepare(sql);
  }) as typeof db.prepare;
  use(db);
  return asked.map((sql) => {
    const named = Object.fromEntries([...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name, null]));
    const places = [...sql.matchAll(/\?/g)].map(() => null);
    const explain = prepare(`EXPLAIN QUERY PLAN ${sql}`);
    const steps = places.length > 0 ? explain.all(...places) : explain.all(named);
    return { sql, plan: ofTables((steps as { detail: string }[]).map(({ detail }) => detail)) };
  });
}

/** Leaves out scans of subquery results, which may have the same name as their table. */
function ofTables(plan: readonly string[]): string[] {
  const parts = new Set(plan.flatMap((step) => /^CO-ROUTINE (\w+)$/.exec(step)?.[1] ?? []));
  return plan.filter((step) => !parts.has(/^(?:CO-ROUTINE|SCAN) (\w+)$/.exec(step)?.[1] ?? ""));
}

/** Plan steps that read a table, or a lane, from one end to the other. */
const grows = [
  /^SCAN (message|delivery|attempt|alert|log|trimmed_lane)( USING (COVERING )?INDEX delivery_(by_end|of_lane))?$/,
  /USING INDEX message_of_lane \(lane_id=\?\)$/,
  /USING INDEX delivery_of_lane \(lane_id=\?\)$/,
  /INDEX delivery_by_end \(status=\?\)$/,
];

function costly(plans: { sql: string; plan: string[] }[]): string[] {
  return plans.filter(({ plan }) => plan.some((step) => grows.some((way) => way.test(step)))).map(({ sql }) => sql);
}

/** Everything that reads or writes the log, with every filter that a reader may have. */
function useLog(db: Database.Database): void {
  const { lastSeq } = logWriter(db);
  const deps = {
    end: () => 1,
    lastSeq,
    lane: laneStatements(db).find,
    team: () => null,
    deliveries: deliveryStatements(db),
  };
  const reader = logReader(db, deps);
  for (const lane of [undefined, "lane"])
    for (const types of [undefined, ["message", "error"] as const]) void reader.page({ lane, types, limit: 10 });
  trimEvents(db);
}

it("no statement of mail, ledger or log scans its table, except the count of ended deliveries", () => {
  const plans = plansOf((db) => {
    mailStatements(db);
    useLog(db);
  });
  expect(plans.length).toBeGreaterThan(40);
  expect(costly(plans)).toEqual([expect.stringMatching(/^SELECT status, count\(\*\)/)]);
});

it("unread messages without a delivery are searched only among unread messages", () => {
  const plans = plansOf((db) => void mailStatements(db)).filter(({ sql }) => sql.includes("NOT EXISTS"));
  expect(plans.map(({ plan }) => plan[0])).toEqual([
    expect.stringMatching(/^SCAN message USING INDEX message_unread$/),
  ]);
});

it("a page of deliveries is read in order, and only up to its limit", () => {
  const plans = plansOf((db) => {
    const page = deliveryPages(db);
    for (const laneId of [undefined, "lane"])
      for (const statuses of [undefined, ["pending", "accepted", "responded"] as const])
        page({ laneId, statuses, limit: 10 });
  });
  expect(plans).toHaveLength(8);
  expect(costly(plans)).toEqual([]);
  expect(plans.flatMap(({ plan }) => plan)).not.toContain("USE TEMP B-TREE FOR ORDER BY");
});

it("deliveries of one message are found by its id, even in a lane with many", () => {
  const plans = plansOf((db) => {
    const page = deliveryPages(db);
    for (const laneId of [undefined, "lane"])
      for (const statuses of [undefined, ["pending"] as const]) page({ laneId, statuses, messageId: "m1", limit: 2 });
  });
  for (const { plan } of plans) expect(plan[0]).toMatch(/message USING COVERING INDEX \w+ \(id=\?/);
});

it("a search for deliveries reads a bounded number of them, in order", () => {
  const plans = plansOf((db) => {
    const page = deliveryPages(db);
    for (const laneId of [undefined, "lane"])
      for (const statuses of [undefined, ["pending"] as const]) page({ laneId, statuses, query: "words", limit: 10 });
  });
  expect(plans).toHaveLength(4);
  for (const { sql } of plans) expect(sql).toMatch(/ORDER BY delivery.message_seq DESC LIMIT 5000\)/);
  expect(costly(plans)).toEqual([]);
});

it("deliveries of a page of messages are found one by one, by the messages' ids", () => {
  const plans = plansOf((db) => void deliveryStatements(db)).filter(({ sql }) => sql.includes("AS wanted"));
  expect(plans.map(({ plan }) => plan.slice(0, 3))).toEqual([
    [
      expect.stringMatching(/^SCAN wanted VIRTUAL TABLE/),
      expect.stringMatching(/^SEARCH message USING COVERING INDEX \w+ \(id=\? AND recipient=\?\)$/),
      "SEARCH delivery USING INTEGER PRIMARY KEY (rowid=?)",
    ],
  ]);
});

it("old entries are found without reading newer ones", () => {
  const plans = plansOf((db) => {
    db.exec("INSERT INTO log (position, at, type) VALUES (1, 0, 'lane'), (2, 1, 'lane')");
    pruneStore(db, { responded: 0, failed: 0, log: 1, events: 0, stats: 0 });
  });
  const planOf = (sql: RegExp) => plans.filter((one) => sql.test(one.sql)).flatMap(({ plan }) => plan);
  expect(planOf(/^DELETE FROM delivery/)[0]).toMatch(/INDEX delivery_ended \(updated_at<\?\)/);
  // The log in order: from the floor to the first entry that is not old, and no further.
  expect(planOf(/^SELECT position FROM log WHERE position > \?/)).toEqual([
    expect.stringMatching(/^SEARCH log USING INTEGER PRIMARY KEY \(rowid>\?\)$/),
  ]);
  expect(planOf(/^DELETE FROM log WHERE position > \?/)).toEqual([
    expect.stringMatching(/^SEARCH log USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)$/),
  ]);
  expect(planOf(/^DELETE FROM day_stats/)[0]).toMatch(/^SEARCH day_stats USING PRIMARY KEY \(day<\?\)$/);
  expect(costly(plans)).toEqual([]);
});

it("statistics are found by their day, and later usage is added without a search", () => {
  const plans = plansOf((db) => {
    dayStatsStatements(db);
    usageStatements(db);
  }).filter(({ sql }) => sql.startsWith("SELECT"));
  expect(plans.length).toBeGreaterThan(5);
  for (const { sql, plan } of plans.filter(({ sql }) => sql.includes("FROM day_stats"))) {
    expect({ sql, plan }).toEqual({ sql, plan: [expect.stringMatching(/^SEARCH day_stats USING PRIMARY KEY \(day/)] });
  }
  expect(plans.flatMap(({ plan }) => plan).filter((step) => /^SCAN (usage|day_stats)/.test(step))).toEqual([]);
});

it.each([
  [undefined, undefined, ["INTEGER PRIMARY KEY (rowid>? AND rowid<?)"]],
  [undefined, ["message", "error"], ["INTEGER PRIMARY KEY (rowid>? AND rowid<?)"]],
  [
    "lane",
    undefined,
    [
      "INDEX log_of_agent (lane_id=? AND position>? AND position<?)",
      "INDEX log_of_lane (lane_id=? AND position>? AND position<?)",
    ],
  ],
  [
    "lane",
    ["message", "error"],
    [
      "INDEX log_of_agent (lane_id=? AND position>? AND position<?)",
      "INDEX log_of_lane (lane_id=? AND position>? AND position<?)",
    ],
  ],
] as const)(
  "a page of the log, of lane %s and types %j, is read in order, from the reader's position",
  (lane, types, ways) => {
    const [page] = plansOf((db) => {
      const deps = {
        end: () => 1,
        lastSeq: () => 0,
        lane: () => null,
        team: () => null,
        deliveries: deliveryStatements(db),
      };
      void logReader(db, deps).page({ lane, types, limit: 10 });
    }).slice(-1);
    const ofLog = page?.plan.filter((step) => / log( |$)/.test(step)) ?? [];
    expect(ofLog).toEqual(ways.map((way) => expect.stringContaining(`SEARCH log USING ${way}`)));
    expect(page?.plan.join()).not.toContain("USE TEMP B-TREE");
  },
);

it("events of a lane are read, numbered and removed in order, without sorting", () => {
  const plans = plansOf((db) => {
    trimEvents(db);
    useLog(db);
  });
  const ofEvents = plans.filter(({ sql }) => /FROM log .*seq IS NOT NULL/.test(sql) && !sql.includes("@"));
  expect(ofEvents.length).toBeGreaterThan(8);
  for (const { sql, plan } of ofEvents) {
    expect({ sql, plan: plan.join() }).toEqual({ sql, plan: expect.not.stringContaining("TEMP B-TREE") });
    const steps = plan.filter((step) => / log( |$)/.test(step));
    expect({ sql, steps }).toEqual({
      sql,
      steps: steps.map(() => expect.stringMatching(/^SEARCH log USING (COVERING )?INDEX log_of_agent/)),
    });
  }
});
