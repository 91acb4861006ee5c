/** Follow-ups after the proof: a summary of silent work, and files that an answer names. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { startWorld } from "../support/daemon/waybill.ts";
import { failureOf } from "../support/store/failing-commit.ts";

const directory = mkdtempSync(join(tmpdir(), "waybill-further-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const lanes = [{ directory }];

const silentWork = { when: "<m1>", steps: [{ tool: "write" }] };
const work = { id: "m1", text: "<m1>", actionMode: "do" as const };
const summary = { when: "few sentences", steps: [{ say: "Renamed 3 files." }] };
const ended = async (world: Awaited<ReturnType<typeof startWorld>>, id = "m1") => {
  await world.clock.until(async () => (await world.delivery(id)).turnEndedAt !== null);
  return world.delivery(id);
};

describe("silent work in files", () => {
  test("is proven and read immediately, and followed by one request for a summary, which is the answer", async () => {
    const world = await startWorld({ lanes, script: { turns: [silentWork, summary] } });
    await world.send(work);
    const responded = await world.reaches("m1", "responded");
    expect(responded).toMatchObject({ proof: { by: "tool" }, readCommittedAt: expect.any(Number), turnEndedAt: null });
    const record = await ended(world);
    expect(record).toMatchObject({ status: "responded", attempts: 1, proof: { by: "tool" }, lastReason: null });
    expect(record.respondedAt).toBe(responded.respondedAt);
    expect(record.attemptList).toMatchObject([
      { kind: "prompt", provenAt: expect.any(Number) },
      { kind: "summary", spends: "follow_ups", finishedAt: expect.any(Number), provenAt: null },
    ]);
    expect(await world.mail()).toEqual([{ from: "lane", text: "Renamed 3 files.", relayOf: "m1" }]);
    expect((await world.history("m1")).filter((type) => type === "proven")).toHaveLength(1);
  });

  test("keeps its lane until the summary has arrived", async () => {
    const slow = { ...summary, steps: [{ wait: 30_000 }, ...summary.steps] };
    const next = { when: "<m2>", steps: [{ say: "Port 8080." }] };
    const world = await startWorld({ lanes, script: { turns: [silentWork, slow, next] } });
    await world.send(work);
    await world.send({ id: "m2", text: "<m2>" });
    await world.reaches("m2", "responded");
    expect((await world.mail()).map(({ text }) => text)).toEqual(["Renamed 3 files.", "Port 8080."]);
    expect(world.prompts()).toHaveLength(3);
  });

  test("causes no second request if the summary is also empty", async () => {
    const world = await startWorld({ lanes, script: { turns: [silentWork, { when: "few sentences", steps: [] }] } });
    await world.send(work);
    expect(await ended(world)).toMatchObject({ status: "responded", diagnostics: ["summary_not_answered"] });
    expect(world.prompts()).toHaveLength(2);
    expect(await world.mail()).toEqual([]);
  });

  test.each([
    ["a tool lane", { lanes: [{ directory, contract: "tool" as const }] }, silentWork],
    ["a lane with summaries turned off", { policy: { summarizeSilentWork: false } }, silentWork],
    ["a lane without automatic prompts", { policy: { automaticRetry: false } }, silentWork],
    ["a lane whose work changed no file", {}, { when: "<m1>", steps: [{ tool: "bash" }] }],
    ["a lane whose work was described", {}, { when: "<m1>", steps: [{ tool: "write" }, { say: "Renamed it." }] }],
  ])("causes no request on %s", async (_, options, turn) => {
    const world = await startWorld({ lanes, ...options, script: { turns: [turn, summary] } });
    await world.send(work);
    await ended(world);
    await world.clock.advance(600_000);
    expect(world.prompts()).toHaveLength(1);
  });

  test("repeats a lost request only with the same ids", async () => {
    const world = await startWorld({
      lanes,
      script: { turns: [silentWork, { when: "few sentences", arrival: "lost" }, summary] },
    });
    await world.send(work);
    const record = await ended(world);
    expect(record.attemptList).toMatchObject([{ sends: 1 }, { kind: "summary", sends: 2 }]);
    expect(new Set(world.prompts().map((prompt) => prompt.id)).size).toBe(2);
    expect(await world.mail()).toMatchObject([{ text: "Renamed 3 files." }]);
  });

  test.each(["proven", "submit_follow_up", "turn_ended", "reconciled"] as const)(
    "is neither lost nor asked for twice if Waybill dies at %s",
    async (type) => {
      const world = await startWorld({ lanes, script: { turns: [silentWork, summary] } });
      const failed = failureOf(world.waybill.store, type);
      await world.send(work);
      await world.clock.until(() => failed.happened);
      world.errors.length = 0;
      await world.stop();
      await world.start();
      await ended(world);
      expect(world.prompts().map((prompt) => prompt.text)).toHaveLength(2);
      expect(await world.mail()).toMatchObject([{ text: "Renamed 3 files." }]);
    },
  );

  test("causes no request in another session, and does not keep the lane for it", async () => {
    const next = { when: "<m2>", steps: [{ say: "Port 8080." }] };
    const world = await startWorld({ lanes, script: { turns: [silentWork, summary, next] } });
    await world.send(work);
    await world.waybill.interventions.pause("lane", "lunch");
    await world.reaches("m1", "responded");
    const lane = (await world.waybill.store.lane("lane")) ?? expect.fail("no lane");
    await world.waybill.store.openSession("lane", await world.stub.openSession(lane), world.clock.now());
    await world.waybill.interventions.resume("lane");
    expect(await ended(world)).toMatchObject({ status: "responded", diagnostics: ["summary_not_asked"] });
    await world.send({ id: "m2", text: "<m2>" });
    await world.reaches("m2", "responded");
    expect(world.prompts()).toHaveLength(2);
  });

  test("causes no request in a paused lane before it is resumed, nor after a person's stop", async () => {
    const world = await startWorld({ lanes, script: { turns: [silentWork, summary] } });
    await world.waybill.interventions.pause("lane", "lunch");
    await world.send(work);
    await world.waybill.interventions.resume("lane");
    await world.clock.until(async () => (await world.delivery("m1")).status === "accepted");
    await world.waybill.interventions.pause("lane", "lunch");
    await world.reaches("m1", "responded");
    await world.clock.advance(600_000);
    expect(world.prompts()).toHaveLength(1);
    await world.waybill.interventions.stop("lane", "ada");
    await world.waybill.interventions.resume("lane");
    await world.clock.advance(600_000);
    expect(world.prompts()).toHaveLength(1);
    expect(await world.delivery("m1")).toMatchObject({ status: "responded", turnEndedAt: expect.any(Number) });
  });
});

describe("a file that an answer names", () => {
  const claims = (text: string) => ({ when: "<m1>", steps: [{ say: text }] });
  const looked = (world: Awaited<ReturnType<typeof startWorld>>) =>
    world.clock.until(async () => {
      const { status, claims } = await world.delivery("m1");
      return status === "responded" && claims === null;
    });

  test("and that exists is checked for once and not mentioned", async () => {
    writeFileSync(join(directory, "there.txt"), "");
    const world = await startWorld({ lanes, script: { turns: [claims("Wrote there.txt.")] } });
    await world.send(work);
    await looked(world);
    expect((await world.delivery("m1")).diagnostics).toEqual([]);
    expect(await world.history("m1")).toEqual(["admitted", "submit", "accepted", "proven", "files_checked"]);
  });

  test("and that appears a little later is not missing", async () => {
    const world = await startWorld({ lanes, script: { turns: [claims("Wrote late.txt.")] } });
    await world.send(work);
    await world.reaches("m1", "responded");
    await world.clock.advance(5000);
    writeFileSync(join(directory, "late.txt"), "");
    await looked(world);
    expect((await world.delivery("m1")).diagnostics).toEqual([]);
  });

  test("and that never appears is noted after 15 seconds, while the lane continues", async () => {
    const next = { when: "<m2>", steps: [{ say: "Port 8080." }] };
    const world = await startWorld({ lanes, script: { turns: [claims("Wrote no.txt and there.txt."), next] } });
    await world.send(work);
    await world.send({ id: "m2", text: "<m2>" });
    await world.reaches("m2", "responded");
    const { claims: open, respondedAt } = await world.delivery("m1");
    expect(open).toEqual({ names: ["no.txt", "there.txt"], until: (respondedAt ?? 0) + 15_000 });
    await looked(world);
    const record = await world.delivery("m1");
    expect(record.diagnostics).toEqual(["claimed_file_missing:no.txt"]);
    expect(record.updatedAt - (respondedAt ?? 0)).toBe(15_000);
    expect(world.prompts()).toHaveLength(2);
  });

  test("is still checked for after a restart", async () => {
    const world = await startWorld({ lanes, script: { turns: [claims("Wrote no.txt.")] } });
    await world.send(work);
    await world.reaches("m1", "responded");
    await world.stop();
    await world.start();
    await looked(world);
    expect((await world.delivery("m1")).diagnostics).toEqual(["claimed_file_missing:no.txt"]);
  });

  test("is asked about once if configured, and the reply is a separate message", async () => {
    const reply = { when: "not there: no.txt", steps: [{ say: "I wrote no.txt to another place." }] };
    const world = await startWorld({
      lanes,
      policy: { followUpMissingFiles: true },
      script: { turns: [claims("Wrote no.txt."), reply] },
    });
    await world.send(work);
    const record = await ended(world);
    expect(record.attemptList).toMatchObject([{ kind: "prompt" }, { kind: "follow_up", spends: "follow_ups" }]);
    await world.clock.advance(600_000);
    expect(world.prompts()).toHaveLength(2);
    expect((await world.mail()).map(({ text }) => text)).toEqual(["Wrote no.txt.", "I wrote no.txt to another place."]);
  });
});
