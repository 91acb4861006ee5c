import { describe, expect, it } from "vitest";
import type { Attempt, AuditRow } from "./attempt-groups.ts";
import { groupByAttempt } from "./attempt-groups.ts";

const time = (second: number) => new Date(Date.UTC(2026, 0, 31, 12, 0, second)).toISOString();

const row = (event: string, second = 0, more: Partial<AuditRow> = {}): AuditRow => ({
  ...{ at: time(second), event, reason: null, by: null, attempt: null, observed: null, next: null, why: event },
  ...more,
});

const observed = (fields: Partial<AuditRow["observed"]> = {}): AuditRow["observed"] => ({
  ...{ state: "pending", deliveredUserMessageId: null, assistantMessageId: null },
  ...{ toolNames: [], diagnostics: [], lastActivityAt: null },
  ...fields,
});

/** Rows with the attempts that they are about, as the daemon numbers them. */
function history(...events: readonly string[]): AuditRow[] {
  let newest: number | null = null;
  return events.map((event) => {
    if (event.startsWith("submit")) newest = (newest ?? 0) + 1;
    const found = /^attempts_searched (\d+)$/.exec(event)?.[1];
    if (found !== undefined) newest = Number(found);
    return row(event.split(" ")[0] ?? event, 0, { attempt: newest });
  });
}

const attempt = (number: number): Attempt => ({
  number,
  kind: number === 1 ? "prompt" : "retry",
  because: null,
  sessionId: "session",
  runtimeMessageId: `prompt-${number}`,
  sends: 1,
  submittedAt: time(number),
  storedAt: null,
  firstTokenAt: null,
  lastActivityAt: null,
  finishedAt: null,
  provenAt: null,
});

const shape = (audit: readonly AuditRow[], attempts: number) =>
  groupByAttempt({ audit, attemptList: Array.from({ length: attempts }, (_, index) => attempt(index + 1)) }).map(
    (group) => [
      group.type === "attempt" ? group.attempt.number : group.isRetried ? "retried" : "before",
      ...group.steps.map(({ row: { event }, times }) => (times > 1 ? `${event} x${times}` : event)),
    ],
  );

describe("the audit by attempts", () => {
  it("starts with what came before, then lists each attempt with its steps", () => {
    const audit = history("admitted", "submit", "accepted", "unanswered", "retry_scheduled", "submit", "proven");
    expect(shape(audit, 2)).toEqual([
      ["before", "admitted"],
      [1, "submit", "accepted", "unanswered", "retry_scheduled"],
      [2, "submit", "proven"],
    ]);
  });

  it("lists a follow-up as a separate attempt", () => {
    const audit = history("admitted", "submit", "proven", "submit_follow_up", "turn_ended");
    expect(shape(audit, 2).at(-1)).toEqual([2, "submit_follow_up", "turn_ended"]);
  });

  it("keeps steps after a person's retry separate until the next attempt", () => {
    const audit = history("admitted", "submit", "failed_terminal", "retried_by_person", "reconciled", "submit");
    expect(shape(audit, 2)).toEqual([
      ["before", "admitted"],
      [1, "submit", "failed_terminal"],
      ["retried", "retried_by_person", "reconciled"],
      [2, "submit"],
    ]);
  });

  it("shows attempts found in transcripts, which have no audit row", () => {
    const audit = history("rebuilt", "attempts_searched 2", "reconciled", "submit");
    expect(shape(audit, 3)).toEqual([
      ["before", "rebuilt", "attempts_searched"],
      [1],
      [2, "reconciled"],
      [3, "submit"],
    ]);
  });

  it("keeps an attempt that the list does not know yet", () => {
    expect(shape(history("admitted", "submit"), 0)).toEqual([
      ["before", "admitted"],
      ["before", "submit"],
    ]);
  });

  it("is empty without rows", () => {
    expect(groupByAttempt({ audit: [], attemptList: [] })).toEqual([]);
  });
});

describe("consecutive reads", () => {
  const looks = (...rows: readonly AuditRow[]) => shape([row("submit", 0, { attempt: 1 }), ...rows], 1)[0]?.slice(2);

  it("are one step if they showed the same", () => {
    expect(looks(row("reconciled", 2), row("reconciled", 3), row("reconciled", 9))).toEqual(["reconciled x3"]);
    const [group] = groupByAttempt({ audit: [row("reconciled", 2), row("reconciled", 9)], attemptList: [] });
    expect(group?.steps).toMatchObject([{ times: 2, row: { at: time(2) }, until: time(9) }]);
  });

  it("stay separate if the reason or the observation changed", () => {
    const asked = row("reconciled", 3, { reason: "permission_pending" });
    expect(looks(row("reconciled", 2), asked, row("reconciled", 4))).toEqual([
      "reconciled",
      "reconciled",
      "reconciled",
    ]);
    const seen = row("reconciled", 3, {
      observed: { state: "pending", toolNames: ["bash"], assistantMessageId: null },
    });
    expect(looks(row("reconciled", 2), seen)).toEqual(["reconciled", "reconciled"]);
  });

  it("are one step even if their times differ", () => {
    const look = (second: number) =>
      row("reconciled", second, { next: time(second + 5), observed: observed({ lastActivityAt: time(second) }) });
    expect(looks(look(2), look(3))).toEqual(["reconciled x2"]);
  });

  it("are not confused with other repeated steps", () => {
    expect(looks(row("not_sent", 2), row("not_sent", 3))).toEqual(["not_sent", "not_sent"]);
  });
});
