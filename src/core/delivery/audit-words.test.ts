import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyEvent } from "../../../test/support/core/arbitrary-events.ts";
import { accepted, failedForGood, proven } from "../../../test/support/core/deliveries.ts";
import { aRecord, submitEvent } from "../../../test/support/core/records.ts";
import { auditRows, eventWords } from "./audit-words.ts";
import type { DeliveryEvent, ObservedFacts } from "./delivery-event.ts";
import { responseStates } from "./record.ts";

const facts: ObservedFacts = {
  ...{ state: "empty_assistant_turn", deliveredUserMessageId: "msg-1", assistantMessageId: "row-1" },
  ...{ toolNames: [], newestRowId: "row-1", lastActivityAt: 5, diagnostics: [] },
};
const unanswered = (reason: string): DeliveryEvent => ({
  ...{ type: "unanswered", at: 4, reason, observed: facts, reconcileAt: 9 },
});

describe("the wording of an event", () => {
  it("is one readable sentence for every event", () => {
    fc.assert(
      fc.property(anyEvent("m1"), (event) => {
        expect(eventWords(event)).toMatch(/^[A-Z][^\n]*[a-z)]\.$/);
        expect(eventWords(event)).not.toMatch(/undefined|null|_/);
      }),
      { numRuns: 500 },
    );
  });

  it("is different for every response state", () => {
    const look = (state: ObservedFacts["state"]): DeliveryEvent => ({
      ...{ type: "reconciled", at: 1, observed: { ...facts, state }, reason: null, found: true },
      ...{ missed: false, reconcileAt: 2 },
    });
    const words = responseStates.map((state) => eventWords(look(state)));
    expect(new Set(words).size).toBe(responseStates.length);
  });

  it.each<[DeliveryEvent, string]>([
    [unanswered("no_response"), "The agent said nothing, so the message is still unanswered."],
    [unanswered("unknown_code"), "The message is still unanswered (unknown_code)."],
    [
      { type: "not_sent", at: 1, reason: "connect ECONNREFUSED", reconcileAt: 2 },
      "The prompt was not sent: connect ECONNREFUSED.",
    ],
    [
      { type: "acceptance_unknown", at: 1, reason: "program_ended", reconcileAt: 2 },
      "It is unknown whether the prompt arrived: the agent's program ended while it was receiving the prompt; the transcript is read before anything is sent again.",
    ],
    [
      { type: "failed_terminal", at: 1, reason: "provider_auth", observed: null, reconcileAt: null },
      "The model's provider did not accept the credentials, so it failed for good, and stays unread.",
    ],
    [
      { type: "withdrawn", at: 1, by: "user", reason: "expired", readCommitted: true, reconcileAt: 1 },
      "It expired before anything was sent.",
    ],
  ])("says why: %#", (event, words) => {
    expect(eventWords(event)).toBe(words);
  });
});

describe("audit rows", () => {
  it("name their attempt, the observation, and when the next reconcile was due", () => {
    const record = aRecord();
    const rows = auditRows([
      { type: "admitted", at: 1, record },
      submitEvent(1, 2),
      accepted(1, 3),
      unanswered("no_response"),
      submitEvent(2, 5),
      { ...proven({ at: 6 }), attempt: 1 } as DeliveryEvent,
      failedForGood(7),
    ]);
    expect(rows.map(({ attempt }) => attempt)).toEqual([null, 1, 1, 1, 2, 1, 2]);
    expect(rows[3]).toMatchObject({
      observed: facts,
      next: 9,
      why: expect.stringContaining("said nothing"),
    });
    expect(rows[0]).toMatchObject({ observed: null, next: null });
  });
});
