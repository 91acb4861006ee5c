import { expect, test } from "vitest";
import { startWorld } from "../../../test/support/daemon/waybill.ts";
import type { DeliveryLogLine } from "./delivery-log.ts";
import { deliveryLogLines } from "./delivery-log.ts";

const secretText = "the launch code is 0000";

async function linesOf(script: object, policy = {}): Promise<DeliveryLogLine[]> {
  const world = await startWorld({ script, policy });
  const lines: DeliveryLogLine[] = [];
  world.waybill.store.onLog((items) => {
    for (const item of items) if (item.type === "delivery") lines.push(...deliveryLogLines(item));
  });
  await world.send({ id: "m1", text: secretText });
  await world.reaches("m1", "responded", "failed_terminal");
  return lines;
}

test("a delivery that is answered on the second attempt leaves every step in the log", async () => {
  const lines = await linesOf({ turns: [{ steps: [] }, { steps: [{ say: "Yes: 412." }] }] });
  expect(lines.map((line) => line.event)).toEqual([
    "prompt_delivery_ledger_created",
    "prompt_delivery_prompt_accepted",
    "prompt_delivery_unanswered",
    "prompt_delivery_retry_scheduled",
    "prompt_delivery_retry_attempted",
    "prompt_delivery_prompt_accepted",
    "prompt_delivery_response_observed",
    "prompt_delivery_inbox_committed_read",
  ]);
  expect(lines.at(-1)).toMatchObject({
    visibleReplyCorrelation: "plain_assistant_text",
    visibleReplySemanticallySufficient: true,
  });
});

test("the log says whether the visible reply has substance", async () => {
  const said = (steps: object[]) =>
    linesOf({ always: [{ steps }] }).then((lines) => lines.map((line) => line.visibleReplySemanticallySufficient));
  expect((await said([{ say: "Yes: 412." }])).at(-1)).toBe(true);
  const acknowledged = await said([{ say: "Got it." }]);
  expect([acknowledged[2], acknowledged.at(-1)]).toEqual([false, false]);
  expect((await said([])).at(-1)).toBeNull();
});

test("a failure is logged as a warning", async () => {
  const lines = await linesOf({ always: [{ steps: [] }] }, { maxAttempts: 1 });
  expect(lines.at(-1)).toMatchObject({ event: "prompt_delivery_terminal_failure", level: "warn" });
});

test("every line has all fields, and none has the message's text", async () => {
  const lines = await linesOf({ always: [{ steps: [{ say: "Yes: 412." }] }] });
  for (const line of lines) {
    expect(Object.keys(line)).toEqual(
      expect.arrayContaining([
        ...["teamName", "memberName", "laneId", "runId", "inboxMessageId", "runtimeSessionId", "status"],
        ...["responseState", "attempts", "nextAttemptAt", "visibleReplyCorrelation"],
        ...["visibleReplySemanticallySufficient", "reason"],
      ]),
    );
    expect(JSON.stringify(line)).not.toContain("launch code");
  }
});
