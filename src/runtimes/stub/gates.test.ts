import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../../test/support/core/manual-clock.ts";
import { aLane } from "../../../test/support/daemon/waybill.ts";
import type { Lane } from "../../core/lane/lane.ts";
import type { Prompt } from "../port.ts";
import { StubRuntime } from "./runtime.ts";

test("a turn waits until its gate is open, and a later start does not wait again", async () => {
  const directory = mkdtempSync(join(tmpdir(), "waybill-gates-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const gates = join(directory, "gates");
  const clock = new ManualClock();
  const lane = aLane({ id: "lane" }) as Lane;
  const steps = [{ say: "One. " }, { until: "first" }, { tool: "bash", until: "second" }, { say: "Two." }];
  const start = async () => {
    const scripts = { default: { always: [{ steps }] } };
    const journalPath = join(directory, "stub.jsonl");
    const stub = new StubRuntime({ journalPath, clock, scripts, postMessage: async () => {} });
    await stub.recover();
    return stub;
  };
  let stub = await start();
  const session = await stub.openSession(lane);
  const shown = async () => {
    await clock.advance(1000);
    const { status, rows } = await stub.read(lane, session, null);
    return { status, texts: rows.filter(({ role }) => role === "assistant").map(({ text }) => text) };
  };
  const prompt: Prompt = { sessionId: session, messageId: "m", partId: "p", text: "Begin.", attachments: [] };
  await stub.submit(lane, prompt, new AbortController().signal);
  expect(await shown()).toEqual({ status: "busy", texts: ["One. "] });
  mkdirSync(gates);
  writeFileSync(join(gates, "second"), "");
  expect(await shown()).toEqual({ status: "busy", texts: ["One. "] });
  writeFileSync(join(gates, "first"), "");
  expect(await shown()).toEqual({ status: "idle", texts: ["One. ", "Two."] });
  await stub.close();
  rmSync(gates, { recursive: true });
  stub = await start();
  onTestFinished(() => stub.close());
  expect(await shown()).toEqual({ status: "idle", texts: ["One. ", "Two."] });
});
