import { expect, it } from "vitest";
import type { Attempt } from "./attempt-groups.ts";
import { timingSummary } from "./timing-summary.ts";

const began = Date.UTC(2026, 0, 31, 12);
const at = (ms: number) => new Date(began + ms).toISOString();

const attempt = (times: Partial<Attempt>): Attempt => ({
  ...{ number: 1, kind: "prompt", because: null, sessionId: "s", runtimeMessageId: "p", sends: 1, submittedAt: at(50) },
  ...{ storedAt: null, firstTokenAt: null, lastActivityAt: null, finishedAt: null, provenAt: null },
  ...times,
});

const open = { createdAt: at(0), acceptedAt: null, respondedAt: null };

it("counts from the admission to the first of each among the attempts", () => {
  const attemptList = [
    attempt({ storedAt: at(80), firstTokenAt: at(900) }),
    attempt({ number: 2, submittedAt: at(30_000), storedAt: at(30_010), firstTokenAt: at(31_000) }),
  ];
  expect(timingSummary({ ...open, acceptedAt: at(30_020), respondedAt: at(35_000), attemptList })).toEqual({
    ...{ sent: 50, accepted: 80, firstToken: 900, proven: 35_000 },
  });
});

it("uses the acceptance if the agent program does not report when it received the prompt", () => {
  expect(timingSummary({ ...open, acceptedAt: at(70), attemptList: [attempt({})] }).accepted).toBe(70);
});

it("is null for what has not happened", () => {
  expect(timingSummary({ ...open, attemptList: [] })).toEqual({
    ...{ sent: null, accepted: null, firstToken: null, proven: null },
  });
});

it("is never before the admission, whatever an agent program's clock says", () => {
  expect(timingSummary({ ...open, attemptList: [attempt({ firstTokenAt: at(-100) })] }).firstToken).toBe(0);
});
