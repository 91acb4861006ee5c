import { expect, it } from "vitest";
import type { DeliveryDetail } from "waybill/client";
import { diagnosticFields, diagnosticText } from "./diagnostics-text.ts";

const began = Date.UTC(2026, 0, 31, 12);
const at = (ms: number) => new Date(began + ms).toISOString();
const said = "the secret words";

const detail = {
  ...{ id: "d".repeat(64), messageId: "build-17", lane: "demo", source: "ui", actionMode: "ask" },
  ...{ status: "responded", responseState: "responded_plain_text", heldReason: null, acceptanceUnknown: false },
  ...{ attempts: 2, maxAttempts: 3, repairs: 1, createdAt: at(0), acceptedAt: at(40), respondedAt: at(5000) },
  ...{ diagnostics: ["answered_in_plain_text"], missingFiles: [], payloadHash: "hash", version: 9 },
  message: { text: said, summary: said },
  replies: [{ text: said }],
  attemptList: [
    {
      ...{
        number: 2,
        kind: "retry",
        because: "empty_assistant_turn",
        sends: 2,
        sessionId: "ses",
        runtimeMessageId: "msg",
      },
      ...{ submittedAt: at(20), storedAt: at(30), firstTokenAt: null, finishedAt: at(4000), provenAt: at(5000) },
    },
  ],
  audit: [
    { at: at(0), event: "admitted", reason: null, by: null },
    { at: at(3), event: "reconciled", reason: "permission_pending", by: null },
    { at: at(4), event: "reconciled", reason: "permission_pending", by: null },
    { at: at(9), event: "cancelled", reason: "stopped_by_person", by: "user" },
  ],
  evidence: {
    ...{ proof: "plain_text", outcome: null, runtime: "opencode", sessionId: "ses", deliveredUserMessageId: "msg" },
    ...{ assistantMessageId: "row", toolNames: ["bash"], readCommitError: null },
    visibleReply: { messageId: "answer-1", mailbox: "user", correlation: "plain_assistant_text" },
  },
  next: { step: "nothing", at: null, words: "It has ended." },
} as unknown as DeliveryDetail;

const version = { version: "0.1.0", runId: "run-1" };

it("names ids, states, timings and versions, and leaves out unknown fields", () => {
  const fields = Object.fromEntries(diagnosticFields(detail, version).map(({ name, value }) => [name, value]));
  expect(fields).toMatchObject({
    ...{ delivery: detail.id, message: "build-17", status: "responded", proof: "plain_text", session: "ses" },
    ...{ "accepted after": "30 ms", "proven after": "5000 ms", attempts: "2 of 3, 1 repairs", waybill: "0.1.0" },
  });
  expect(fields).not.toHaveProperty("reason");
  expect(fields).not.toHaveProperty("first token after");
});

it("is one text with the attempts and the history", () => {
  const text = diagnosticText(detail, version);
  expect(text).toContain("\nstatus: responded\n");
  expect(text).toContain(
    `2 retry (empty_assistant_turn) at ${at(20)} sent 2 times session ses prompt msg stored 10 ms finished 3980 ms proven 4980 ms`,
  );
  expect(text).toContain(`${at(3)} reconciled (permission_pending) 2 times until ${at(4)}\n`);
  expect(text).toContain(`${at(9)} cancelled (stopped_by_person) by user`);
});

it("never contains what was said", () => {
  expect(diagnosticText(detail, version)).not.toContain(said);
});

it("works without a version", () => {
  expect(diagnosticText(detail, null)).not.toContain("waybill:");
});
