import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { isOutstanding } from "../../src/core/delivery/record.ts";
import { brokenRules } from "../../src/core/delivery/record-rules.ts";
import { payloadHash } from "../../src/core/message/message.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { anyEvent } from "../support/core/arbitrary-events.ts";
import { aMessage, aRecord } from "../support/core/records.ts";
import { aLane } from "../support/daemon/waybill.ts";

const directory = mkdtempSync(join(tmpdir(), "waybill-lanes-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const owners = ["m1", "m2", "m3"] as const;
const anyMove = fc.constantFrom(...owners).chain((owner) => fc.tuple(fc.constant(owner), anyEvent(owner)));

test("no sequence of events, on a real store, gives a lane two outstanding deliveries or breaks a rule", async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyMove, { minLength: 1, maxLength: 60, size: "max" }), async (moves) => {
      const store = openSqliteStore({ path: join(directory, `${count++}.db`) });
      try {
        await store.putLane(aLane());
        for (const id of owners) {
          const message = aMessage({ id });
          await store.admit({ message, payloadHash: payloadHash(message), delivery: aRecord({ id }), choice: null });
        }
        // All requested in the same tick, so that they share batches.
        await Promise.all(moves.map(([owner, event]) => store.apply(aRecord({ id: owner }).id, [event])));
        const records = (await store.deliveries({ laneId: "lane", limit: 10 })).items;
        expect(records.filter(isOutstanding).length).toBeLessThanOrEqual(1);
        for (const record of records) {
          expect(brokenRules(record)).toEqual([]);
          const message = await store.message({ kind: "lane", lane: "lane" }, record.messageId);
          expect(message?.readAt ?? null).toBe(record.readCommittedAt);
        }
        expect(await store.check()).toEqual([]);
      } finally {
        await store.close();
      }
    }),
    { numRuns: 60 },
  );
});
