import { expect, test } from "vitest";
import type { AgentMail } from "../../../service/agent-service.ts";
import { mailViews } from "./mail.ts";

const mail = (id: string, text: string): AgentMail => ({
  ...{ id, text, from: "tom", to: "anna", summary: null, actionMode: null, outcome: null, relayOfMessageId: null },
  ...{ taskRefs: [], sentAt: 0, isRead: true },
});

test("texts that are too long together are shortened, except for the first and short ones", () => {
  const long = "🙂".repeat(60_000);
  const views = mailViews([mail("m1", long), mail("m2", long), mail("m3", "Short.")]);
  expect(views.map(({ id, shortened }) => [id, shortened])).toEqual([
    ["m1", false],
    ["m2", true],
    ["m3", false],
  ]);
  expect(views[0]?.text).toBe(long);
  expect(views[1]?.text).toBe(`${"🙂".repeat(250)}…`);
  expect(mailViews([mail("m1", `x${long}`), mail("m2", `x${long}`)])[1]?.text).toBe(`x${"🙂".repeat(249)}…`);
});
