/** What the courier does with verdicts: what is shown, what is retried and how, what waits for a person. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { personAddress } from "../../src/core/message/message.ts";
import type { StubScriptInput } from "../../src/runtimes/stub/script.ts";
import { startWorld } from "../support/daemon/waybill.ts";

const second = 1000;
const answer = "The port is 8080.";
type Turns = NonNullable<StubScriptInput["turns"]>;
const start = (contract: "text" | "tool", turns: Turns, more: Partial<Parameters<typeof startWorld>[0]> = {}) =>
  startWorld({ lanes: [{ contract }], script: { turns }, ...more });
const texts = async (world: Awaited<ReturnType<typeof start>>) => (await world.mail()).map(({ text }) => text);
const written = async (world: Awaited<ReturnType<typeof start>>) =>
  (await world.waybill.store.writtenBack("m1", "lane", personAddress("user"))).map(({ text, outcome }) => [
    text,
    outcome ?? null,
  ]);

describe("an acknowledgement on a text lane", () => {
  test("is shown immediately and marked, and the agent is asked once to continue", async () => {
    const world = await start("text", [{ steps: [{ say: "Got it, will do." }] }, { steps: [{ say: answer }] }]);
    await world.send({ id: "m1" });
    await world.clock.advance(5 * second);
    expect(await world.delivery("m1")).toMatchObject({ status: "retry_scheduled", readCommittedAt: null });
    expect(await written(world)).toEqual([["Got it, will do.", "acknowledgement"]]);
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 2, proof: { by: "plain_text" } });
    expect(await texts(world)).toEqual(["Got it, will do.", answer]);
    expect(world.prompts()[1]?.text).toMatch(/acknowledged/);
  });

  test("closes an ask when it comes again, without a third prompt", async () => {
    const world = await start("text", [{ steps: [{ say: "Got it." }] }, { steps: [{ say: "On it." }] }]);
    await world.send({ id: "m1", actionMode: "ask" });
    const record = await world.reaches("m1", "responded", "failed_terminal");
    expect(record).toMatchObject({ status: "responded", diagnostics: ["answer_is_only_an_acknowledgement"] });
    expect(await texts(world)).toEqual(["Got it.", "On it."]);
    expect(world.prompts()).toHaveLength(2);
  });

  test("never closes a do without work", async () => {
    const world = await startWorld({ script: { always: [{ steps: [{ say: "Will do!" }] }] } });
    await world.send({ id: "m1", actionMode: "do" });
    expect(await world.reaches("m1", "responded", "failed_terminal")).toMatchObject({ status: "failed_terminal" });
    expect(world.prompts()).toHaveLength(3);
  });

  test("closes a do together with work, followed by a request for a summary", async () => {
    const turns = [
      { steps: [{ tool: "write" }, { say: "On it." }] },
      { when: "few sentences", steps: [{ say: "Renamed 3 files." }] },
    ];
    const world = await start("text", turns);
    await world.send({ id: "m1", actionMode: "do" });
    await world.clock.until(async () => (await world.delivery("m1")).turnEndedAt !== null);
    expect(await texts(world)).toEqual(["Renamed 3 files."]);
  });

  test("is enough for a notification", async () => {
    const world = await start("text", [{ steps: [{ say: "Noted." }] }]);
    await world.send({ id: "m1", actionMode: "notify" });
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1 });
  });

  test("closes an ask immediately if no retry is allowed", async () => {
    const world = await start("text", [{ steps: [{ say: "Got it." }] }], { policy: { automaticRetry: false } });
    await world.send({ id: "m1" });
    expect(await world.reaches("m1", "responded")).toMatchObject({
      diagnostics: ["answer_is_only_an_acknowledgement"],
    });
  });
});

describe("the declared outcome of a reply", () => {
  test("progress is shown immediately and closes nothing, and the retry asks for the outcome", async () => {
    const turns = [
      { steps: [{ reply: "Two of three hosts are done.", outcome: "progress" }] },
      { steps: [{ reply: "All three are done.", outcome: "done" }] },
    ];
    const world = await start("tool", turns);
    await world.send({ id: "m1", actionMode: "do" });
    await world.clock.advance(5 * second);
    expect(await written(world)).toEqual([["Two of three hosts are done.", "progress"]]);
    expect(await world.delivery("m1")).toMatchObject({ status: "accepted" });
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 2, proof: { outcome: "done" } });
    expect(world.prompts()[1]?.text).toMatch(/with its outcome/);
  });

  test.each(["question", "blocked"])("a %s closes the delivery, and the sender is next", async (outcome) => {
    const world = await start("tool", [{ steps: [{ reply: "Which branch", outcome }] }]);
    await world.send({ id: "m1", actionMode: "do" });
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1, proof: { outcome } });
  });

  test.each(["finished", "", "ANSWER"])("an unknown one is refused with the list: %j", async (outcome) => {
    const turns = [{ steps: [{ reply: answer, outcome }, { say: "I have replied." }] }, { steps: [{ reply: answer }] }];
    const world = await start("tool", turns);
    await world.send({ id: "m1" });
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 2 });
    expect(world.prompts()[1]?.text).toMatch(/must be one of answer, done, question, blocked, progress/);
  });
});

describe("a reply that did not arrive", () => {
  test("although its tool reported success gets one more reconcile, and then a retry", async () => {
    const turns = [
      { steps: [{ reply: answer, pretends: true }, { say: "I have replied." }] },
      { steps: [{ reply: answer }] },
    ];
    const world = await start("tool", turns);
    await world.send({ id: "m1" });
    expect(await world.reaches("m1", "retry_scheduled")).toMatchObject({
      lastReason: "reply_not_delivered: the message is not in the mailbox",
    });
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 2, proof: { by: "destination_reply" } });
    expect(world.prompts()[1]?.text).toMatch(/did not arrive: the message is not in the mailbox/);
  });

  test("because it went to somebody else is retried, and the retry names who got it", async () => {
    const turns = [
      { steps: [{ reply: answer, to: "bob" }, { say: "I have told them." }] },
      { steps: [{ reply: answer }] },
    ];
    const world = await start("tool", turns);
    await world.send({ id: "m1" });
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 2 });
    expect(world.prompts()[1]?.text).toMatch(/it went to "bob" instead of "user"/);
  });

  test("by another team's tool is quoted as that tool reported it", async () => {
    const input = { to: "user", text: answer, relayOfMessageId: "m1" };
    const failing = { tool: "agent-teams_message_send", input, output: "The mailbox is full." };
    const turns = [{ steps: [failing, { say: "I have replied." }] }, { steps: [{ reply: answer }] }];
    const world = await start("tool", turns);
    await world.send({ id: "m1" });
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 2 });
    expect(world.prompts()[1]?.text).toMatch(/did not arrive: The mailbox is full\./);
  });
});

describe("failed work", () => {
  test.each([
    ["a command that exits with 1", { tool: "bash", exitCode: 1 }],
    ["a command that took too long", { tool: "bash", timesOut: true }],
  ])("(only %s) does not close a do", async (_, step) => {
    const world = await start("text", [
      { steps: [step] },
      { steps: [{ tool: "bash", exitCode: 0 }, { say: "It runs: 3 of 3." }] },
    ]);
    await world.send({ id: "m1", actionMode: "do" });
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 2 });
    expect(world.prompts()[1]?.text).toMatch(/failed, and you said nothing about it/);
  });
});

describe("a provider's error", () => {
  test("that only a person can fix ends the message and pauses the lane, and later ones wait", async () => {
    const world = await start("text", [
      { steps: [{ error: "402 Insufficient balance" }] },
      { steps: [{ say: answer }] },
    ]);
    await world.send({ id: "m1" });
    await world.send({ id: "m2" });
    expect(await world.reaches("m1", "failed_terminal")).toMatchObject({ lastReason: "provider_billing", attempts: 1 });
    expect(await world.waybill.store.lane("lane")).toMatchObject({ pausedReason: "provider_billing" });
    await world.clock.advance(60 * second);
    expect(await world.delivery("m2")).toMatchObject({ status: "pending" });
    await world.waybill.interventions.resume("lane");
    expect(await world.reaches("m2", "responded")).toMatchObject({ attempts: 1 });
  });

  test("is waited out for as long as the provider asks, even across a restart", async () => {
    const turns = [
      { steps: [{ error: "Rate limit reached. Please try again in 20m." }] },
      { steps: [{ say: answer }] },
    ];
    const world = await start("text", turns);
    await world.send({ id: "m1" });
    const { nextReconcileAt } = await world.reaches("m1", "retry_scheduled");
    expect((nextReconcileAt ?? 0) - world.clock.now()).toBeGreaterThan(19 * 60 * second);
    await world.stop();
    await world.start();
    expect(await world.delivery("m1")).toMatchObject({ nextReconcileAt });
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 2 });
  });

  test("as the text of a turn that ended normally is shown and retried, and never fails for good", async () => {
    const notice = "Your credit balance is too low to access the API.";
    const world = await startWorld({ script: { always: [{ steps: [{ say: notice }] }] } });
    await world.send({ id: "m1" });
    expect(await world.reaches("m1", "responded", "failed_terminal")).toMatchObject({
      status: "responded",
      attempts: 2,
      diagnostics: expect.arrayContaining(["answer_is_only_a_provider_error"]),
    });
    expect(await written(world)).toEqual([
      [notice, "provider_error"],
      [notice, null],
    ]);
    expect(await world.waybill.store.lane("lane")).toMatchObject({ pausedReason: null });
  });
});

describe("files", () => {
  const directory = mkdtempSync(join(tmpdir(), "waybill-verdicts-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test("that a reply by tool names and that are missing are noted on the delivery", async () => {
    const lanes = [{ directory, contract: "tool" as const }];
    const world = await startWorld({ lanes, script: { turns: [{ steps: [{ reply: "Wrote no.txt." }] }] } });
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    await world.clock.until(async () => (await world.delivery("m1")).claims === null);
    expect((await world.delivery("m1")).diagnostics).toEqual(["claimed_file_missing:no.txt"]);
  });

  test("that changed are listed in the request for a summary", async () => {
    writeFileSync(join(directory, "changed.txt"), "new");
    const turns = [{ steps: [{ tool: "write" }] }, { when: "few sentences", steps: [{ say: "Wrote it: 1 file." }] }];
    const world = await startWorld({ lanes: [{ directory }], script: { turns } });
    await world.send({ id: "m1", actionMode: "do" });
    await world.clock.until(async () => (await world.delivery("m1")).turnEndedAt !== null);
    expect(world.prompts()[1]?.text).toContain("Changed since it came: changed.txt.");
  });

  test("a lane is released if no summary has come after 90 seconds", async () => {
    const turns = [
      { when: "<m1>", steps: [{ tool: "write" }] },
      { when: "few sentences", steps: [{ hang: true as const }] },
      { when: "<m2>", steps: [{ say: answer }] },
    ];
    const world = await startWorld({ lanes: [{ directory }], script: { turns } });
    await world.send({ id: "m1", text: "<m1>", actionMode: "do" });
    await world.send({ id: "m2", text: "<m2>" });
    await world.clock.until(async () => (await world.delivery("m1")).turnEndedAt !== null);
    const { diagnostics, turnEndedAt, attemptList } = await world.delivery("m1");
    expect(diagnostics).toEqual(["summary_not_answered"]);
    const waited = (turnEndedAt ?? 0) - (attemptList.at(-1)?.submittedAt ?? 0);
    expect([waited >= 90 * second, waited <= 95 * second]).toEqual([true, true]);
    expect(await world.reaches("m2", "responded")).toMatchObject({ attempts: 1 });
  });
});
