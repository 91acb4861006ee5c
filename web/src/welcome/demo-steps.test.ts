import { expect, test } from "vitest";
import type { DemoDelivery } from "./demo-steps.ts";
import { demoSteps } from "./demo-steps.ts";

type AuditRow = DemoDelivery["audit"][number];

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

function delivery(
  events: readonly (readonly [string, number, string?])[],
  more: Partial<DemoDelivery> = {},
): DemoDelivery {
  const audit = events.map(([event, second, why = ""]) => ({ at: at(second), event, why }) as AuditRow);
  return { audit, replies: [], proof: null, missingFiles: [], ...more };
}

const reply = (fields: object) =>
  ({ id: "r", from: "demo", outcome: null, text: "", createdAt: at(9), ...fields }) as DemoDelivery["replies"][number];

test("a plain question: saved, accepted without proof, answered with proof, at the ledger's times", () => {
  const replies = [reply({ text: "It is green." })];
  const asked = delivery(
    [
      ["admitted", 0],
      ["submit", 1],
      ["accepted", 2],
      ["proven", 4],
    ],
    { replies, proof: "plain_text" },
  );
  const steps = demoSteps(asked);
  expect(steps.map(({ words, at: time }) => [words, time])).toEqual([
    ["Saved", Date.parse(at(0))],
    ["Sent", Date.parse(at(1))],
    ["Accepted", Date.parse(at(2))],
    ["Answered", Date.parse(at(4))],
  ]);
  expect(steps[2]?.why).toContain("proves nothing yet");
  expect(steps[3]).toMatchObject({ quote: "It is green.", tone: "good" });
});

test("nothing is shown that the ledger has not recorded", () => {
  expect(
    demoSteps(
      delivery([
        ["admitted", 0],
        ["submit", 1],
      ]),
    ).map(({ words }) => words),
  ).toEqual(["Saved", "Sent"]);
  expect(
    demoSteps(
      delivery([
        ["reconciled", 1],
        ["turn_ended", 2],
        ["read_committed", 3],
      ]),
    ),
  ).toEqual([]);
});

test("a silent agent is asked again, and the reason is in words", () => {
  const silent = delivery([
    ["admitted", 0],
    ["submit", 1],
    ["accepted", 2],
    ["unanswered", 3, "The agent said nothing."],
    ["retry_scheduled", 3],
    ["submit", 4],
  ]);
  const steps = demoSteps(silent);
  expect(steps.map(({ words }) => words)).toEqual(["Saved", "Sent", "Accepted", "No answer", "Asked again"]);
  expect(steps[3]?.why).toBe("The agent said nothing.");
  expect(steps[4]?.why).toContain("Attempt 2");
});

test("an acknowledgement is shown in its place, and is not the answer", () => {
  const replies = [
    reply({ id: "nod", outcome: "acknowledgement", text: "Got it.", createdAt: at(3) }),
    reply({ id: "answer", text: "42", createdAt: at(6) }),
  ];
  const events = [
    ["admitted", 0],
    ["submit", 1],
    ["accepted", 2],
    ["submit", 4],
    ["proven", 6],
  ] as const;
  const steps = demoSteps(delivery(events, { replies, proof: "plain_text" }));
  expect(steps.map(({ words, quote }) => [words, quote])).toEqual([
    ["Saved", null],
    ["Sent", null],
    ["Accepted", null],
    ["Acknowledged", "Got it."],
    ["Asked again", null],
    ["Answered", "42"],
  ]);
});

test("missing files are named", () => {
  const missing = demoSteps(delivery([["files_checked", 1]], { missingFiles: ["notes.md"] }));
  expect(missing[0]).toMatchObject({ words: "Files are missing", tone: "wait" });
  expect(missing[0]?.why).toContain("notes.md");
});
