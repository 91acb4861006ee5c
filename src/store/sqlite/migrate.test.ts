/** A store that an older Waybill wrote is brought up to date when it is opened, and nothing in it is lost. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { aMessage, aRecord } from "../../../test/support/records.ts";
import { payloadHash } from "../../mail/message.ts";
import { answerMail } from "../../mail/replies.ts";
import { ledger } from "./migrations/0001-ledger.ts";
import { openSqliteStore } from "./sqlite-store.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "waybill-migrate-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** As version 1 wrote it: messages did not name their lane. */
function writeVersionOne(path: string): void {
  const db = new Database(path);
  db.exec(ledger);
  db.pragma("user_version = 1");
  db.exec("INSERT INTO lane (id, runtime, directory, contract, created_at) VALUES ('lane', 'stub', '/tmp', 'text', 0)");
  const record = aRecord();
  const lane = { id: "lane", member: "tom" } as Parameters<typeof answerMail>[1];
  const add = db.prepare(
    "INSERT INTO message (recipient, id, relay_of_message_id, payload_hash, body, created_at) VALUES (?, ?, ?, ?, ?, 0)",
  );
  const asked = aMessage({ id: record.messageId, text: "Is the build green?" });
  const answer = answerMail(record, lane, "Green as grass.", 0).message;
  for (const { laneId: _, ...body } of [asked, answer]) {
    const to = body.recipient.kind === "lane" ? "lane:lane" : "person:user";
    add.run(to, body.id, body.relayOfMessageId, payloadHash({ ...body, laneId: null }), JSON.stringify(body));
  }
  db.prepare("INSERT INTO delivery (id, message_seq, lane_id, record) VALUES (?, 1, 'lane', ?)").run(
    record.id,
    JSON.stringify(record),
  );
  db.prepare("INSERT INTO delivery_event VALUES (?, 1, 0, 'admitted', ?)").run(
    record.id,
    JSON.stringify({ type: "admitted", at: 0, record }),
  );
  db.close();
}

it("what was said before can be searched, by lane", async () => {
  const path = join(directory, "waybill.db");
  writeVersionOne(path);
  const store = openSqliteStore({ path });
  const found = await store.messages({ lane: "lane", query: "green", limit: 10 });
  expect(found.items.map((message) => [message.text, message.laneId])).toEqual([
    ["Green as grass.", "lane"],
    ["Is the build green?", "lane"],
  ]);
  expect(await store.check()).toEqual([]);
  expect(await store.lanes()).toMatchObject([{ id: "lane", displayName: null }]);
  await store.close();
});
