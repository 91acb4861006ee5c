/** What a daemon asks of its store costs the same with a long history as with a short one. */
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { deliveryStatements } from "./deliveries.ts";
import { deliveryPages } from "./delivery-pages.ts";
import { eventStatements } from "./events.ts";
import { pruneStore } from "./housekeeping.ts";
import { laneStatements } from "./lanes.ts";
import { logStatements } from "./log.ts";
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
    return { sql, plan: (steps as { detail: string }[]).map(({ detail }) => detail) };
  });
}

/** Ways to read a table, or a lane, from one end to the other. */
const grows = [
  /^SCAN (message|delivery|attempt|alert|log|event)( USING (COVERING )?INDEX delivery_status)?$/,
  /USING INDEX message_of_lane \(lane_id=\?\)$/,
];

function costly(plans: { sql: string; plan: string[] }[]): string[] {
  return plans.filter(({ plan }) => plan.some((step) => grows.some((way) => way.test(step)))).map(({ sql }) => sql);
}

it("no statement of mail, ledger, feed or events reads on and on, but for the count of all", () => {
  const plans = plansOf((db) => {
    mailStatements(db);
    logStatements(db, laneStatements(db).find, deliveryStatements(db));
    eventStatements(db);
  });
  expect(plans.length).toBeGreaterThan(30);
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
      for (const statuses of [undefined, ["pending", "accepted"] as const]) page({ laneId, statuses, limit: 10 });
  });
  expect(plans).toHaveLength(4);
  expect(costly(plans)).toEqual([]);
  expect(plans.flatMap(({ plan }) => plan)).not.toContain("USE TEMP B-TREE FOR ORDER BY");
});

it("deliveries of one message are found by its id, also in a lane that has many", () => {
  const plans = plansOf((db) => {
    const page = deliveryPages(db);
    for (const laneId of [undefined, "lane"])
      for (const statuses of [undefined, ["pending"] as const]) page({ laneId, statuses, messageId: "m1", limit: 2 });
  });
  for (const { plan } of plans) expect(plan[0]).toMatch(/message USING COVERING INDEX message_id \(id=\?/);
});

it("what is old is found without reading what is not", () => {
  const [records, firstYoung, , log] = plansOf((db) => pruneStore(db, { responded: 0, failed: 0, feed: 0, events: 0 }));
  expect(records?.plan[0]).toMatch(/INDEX delivery_ended \(updated_at<\?\)/);
  // The log in its order, up to the first row that is not old.
  expect(firstYoung?.plan.filter((step) => /log/.test(step))).toEqual(["SEARCH log", "SEARCH log"]);
  expect(log?.plan).toEqual([expect.stringMatching(/^SEARCH log USING INTEGER PRIMARY KEY \(rowid<\?\)/)]);
});

it("events are read, numbered and removed in their order, without sorting", () => {
  const plans = plansOf((db) => void eventStatements(db)).flatMap(({ plan }) => plan);
  expect(plans).not.toContain("USE TEMP B-TREE FOR ORDER BY");
  const ofEvents = plans.filter((step) => / event( |$)/.test(step));
  expect(ofEvents.length).toBeGreaterThan(5);
  expect(ofEvents.filter((step) => !/^SEARCH event USING (INTEGER PRIMARY KEY|(COVERING )?INDEX)/.test(step))).toEqual(
    [],
  );
});
