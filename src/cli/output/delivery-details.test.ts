import { expect, test } from "vitest";
import type { DeliveryDetail } from "../../client/index.ts";
import { timingLine } from "./delivery-details.ts";
import type { Paint } from "./terminal.ts";

const at = (ms: number) => new Date(ms).toISOString();
const attempt: DeliveryDetail["attemptList"][number] = {
  number: 1,
  kind: "prompt",
  because: null,
  sessionId: "ses-1",
  runtimeMessageId: "msg-1",
  sends: 1,
  submittedAt: at(1000),
  storedAt: at(1100),
  firstTokenAt: at(3000),
  lastActivityAt: at(63_000),
  finishedAt: at(61_000),
  provenAt: null,
};
const plain: Paint = (_, text) => text;

test("an attempt shows how long after sending each known step happened", () => {
  expect(timingLine(attempt, plain)).toEqual(["   after sending: stored 0.1 s, first token 2 s, finished 1 min"]);
  const unknown = { storedAt: null, firstTokenAt: null, finishedAt: null };
  expect(timingLine({ ...attempt, ...unknown }, plain)).toEqual([]);
});
