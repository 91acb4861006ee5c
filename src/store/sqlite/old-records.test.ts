/** A store from before attempts were timed or rounds were counted opens, passes its check, and continues. */
import Database from "better-sqlite3";
import { afterEach, expect, it } from "vitest";
import {
  accepted,
  admit,
  failedForGood,
  move,
  proven,
  seen,
  start,
  submit,
} from "../../../test/support/core/deliveries.ts";
import { aLane } from "../../../test/support/daemon/waybill.ts";
import { StoreFile } from "../../../test/support/store/store-file.ts";
import { laterAttemptFields } from "../../core/delivery/attempt.ts";
import type { DeliveryRecord } from "../../core/delivery/record.ts";

const file = new StoreFile();
afterEach(() => file.dispose());

it("records without later fields are read as if those were empty, and still match their audit", async () => {
  const store = file.open();
  await store.putLane(aLane());
  const one = await admit(store, { id: "m1" });
  const { record } = await move(store, one, submit(one), accepted());
  await store.close();
  makeOld(record);

  const reopened = file.open();
  expect((await reopened.delivery(one.id))?.attemptList).toMatchObject([laterAttemptFields]);
  expect(await reopened.check()).toEqual([]);
  const timing = { number: 1, storedAt: 10, firstTokenAt: 20, lastActivityAt: 30, finishedAt: 30 };
  await move(reopened, one, proven({ attempt: 1, observed: { ...seen("responded_plain_text"), timings: [timing] } }));
  expect((await reopened.delivery(one.id))?.attemptList).toMatchObject([{ ...timing, provenAt: expect.any(Number) }]);
  expect(await reopened.check()).toEqual([]);
});

it("a message retried before rounds were counted is in round one, and its next retry begins round two", async () => {
  const store = file.open();
  await store.putLane(aLane());
  const one = await admit(store, { id: "m1" });
  const retried = { type: "retried_by_person", at: start, by: "ada", budget: 3 } as const;
  const { record } = await move(store, one, submit(one), accepted(), failedForGood(), retried);
  await store.close();
  makeOld(record);

  const reopened = file.open();
  expect(await reopened.delivery(one.id)).toMatchObject({ status: "pending", rounds: 1 });
  expect(await reopened.check()).toEqual([]);
  await move(reopened, one, submit(record), accepted(2), failedForGood(), { ...retried, round: 2 });
  expect(await reopened.delivery(one.id)).toMatchObject({ rounds: 2 });
  expect(await reopened.check()).toEqual([]);
});

function makeOld(record: DeliveryRecord): void {
  const attemptList = record.attemptList.map((attempt) =>
    Object.fromEntries(Object.entries(attempt).filter(([field]) => !(field in laterAttemptFields))),
  );
  const { claims: _, rounds: __, ...old } = record;
  const db = new Database(file.path);
  // An active delivery has no record besides its audit.
  db.prepare("UPDATE delivery SET record = ? WHERE record IS NOT NULL").run(JSON.stringify({ ...old, attemptList }));
  db.exec(
    "UPDATE log SET body = json_remove(body, '$.record.claims', '$.record.rounds', '$.storedAt', '$.attempt.choice')",
  );
  db.close();
}
