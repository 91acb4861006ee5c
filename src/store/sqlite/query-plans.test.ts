/** What a daemon asks of its store costs the same with a long history as with a short one. */
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { deliveryStatements } from "./deliveries.ts";
import { deliveryPages } from "./delivery-pages.ts";
import { pruneStore } from "./housekeeping.ts";
import { laneStatements } from "./lanes.ts";
import { logWriter } from "./log/log.ts";
import { logReader } from "./log/read-log.ts";
import { trimEvents } from "./log/trim-log.ts";
import { mailStatements } from "./mail.ts";
import { migrate } from "./migrate.ts";

/** Every statement that `use` prepares, with the plan for it. */
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

/** What a part of a statement has found is read from one end to the other, and may be called like the table it is from. */
function ofTables(plan: readonly string[]): string[] {
  const parts = new Set(plan.flatMap((step) => /^CO-ROUTINE (\w+)$/.exec(step)?.[1] ?? []));
  return plan.filter((step) => !parts.has(/^(?:CO-ROUTINE|SCAN) (\w+)$/.exec(step)?.[1] ?? ""));
}

/** Ways to read a table, or a lane, from one end to the other. */
const grows = [
  /^SCAN (message|delivery|attempt|alert|log|trimmed_lane)( USING (COVERING )?INDEX delivery_(by_end|of_lane))?$/,
  /USING INDEX message_of_lane \(lane_id=\?\)$/,
  /USING INDEX delivery_of_lane \(lane_id=\?\)$/,
  /INDEX delivery_by_end \(status=\?\)$/,
];

function costly(plans: { sql: string; plan: string[] }[]): string[] {
  return plans.filter(({ plan }) => plan.some((step) => grows.some((way) => way.test(step)))).map(({ sql }) => sql);
}

/** All that reads the log or writes it, with every filter that a reader may have. */
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

it("no statement of mail, ledger or log reads on and on, but for the count of all that ended", () => {
  const plans = plansOf((db) => {
    mailStatements(db);
    useLog(db);
  });
  expect(plans.length).toBeGreaterThan(40);
  expect(costly(plans)).toEqual([expect.stringMatching(/^SELECT status, count\(\*\)/)]);
});

it("unread messages without a delivery are looked for among the unread alone", () => {
  const plans = plansOf((db) => void mailStatements(db)).filter(({ sql }) => sql.includes("NOT EXISTS"));
  expect(plans.map(({ plan }) => plan[0])).toEqual([
    expect.stringMatching(/^SCAN message USING INDEX message_unread$/),
  ]);
});

it("a page of deliveries is read in order, and no further than it goes", () => {
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

it("deliveries of one message are found by its id, also in a lane that has many", () => {
  const plans = plansOf((db) => {
    const page = deliveryPages(db);
    for (const laneId of [undefined, "lane"])
      for (const statuses of [undefined, ["pending"] as const]) page({ laneId, statuses, messageId: "m1", limit: 2 });
  });
  for (const { plan } of plans) expect(plan[0]).toMatch(/message USING COVERING INDEX \w+ \(id=\?/);
});

it("what is old is found without reading what is not", () => {
  const plans = plansOf((db) => {
    db.exec("INSERT INTO log (position, at, type) VALUES (1, 0, 'lane'), (2, 1, 'lane')");
    pruneStore(db, { responded: 0, failed: 0, log: 1, events: 0 });
  });
  const planOf = (sql: RegExp) => plans.filter((one) => sql.test(one.sql)).flatMap(({ plan }) => plan);
  expect(planOf(/^DELETE FROM delivery/)[0]).toMatch(/INDEX delivery_ended \(updated_at<\?\)/);
  // The log in its order: from what is missing to the first row that is not old, and no further.
  expect(planOf(/^SELECT position FROM log WHERE position > \?/)).toEqual([
    expect.stringMatching(/^SEARCH log USING INTEGER PRIMARY KEY \(rowid>\?\)$/),
  ]);
  expect(planOf(/^DELETE FROM log WHERE position > \?/)).toEqual([
    expect.stringMatching(/^SEARCH log USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)$/),
  ]);
  expect(costly(plans)).toEqual([]);
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
  "a page of the log, of lane %s and types %j, is read in its order, from where the reader is",
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

it("events of a lane are read, numbered and removed in their order, without sorting", () => {
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
