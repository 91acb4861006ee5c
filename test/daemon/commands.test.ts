/** Every command on the real state of a daemon. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InProcessDaemon } from "../support/daemon/in-process-daemon.ts";

describe("every command", () => {
  let waybill: InProcessDaemon;
  beforeAll(async () => {
    waybill = new InProcessDaemon();
    waybill.configure(
      {
        chat: { always: [{ when: "forever", steps: [{ hang: true }] }, { steps: [{ say: "Yes: 412 tests." }] }] },
        silent: { always: [{ steps: [] }] },
        asking: { always: [{ steps: [{ ask: "permission", title: "rm -rf build" }, { say: "Removed 3 files." }] }] },
      },
      {
        delivery: { maxAttempts: 1, graceMs: 100, rereadMs: 50, firstReconcileDelayMs: 50, maxReconcileDelayMs: 200 },
        teams: { core: { members: { tom: { lane: "chat" } } } },
      },
    );
    await waybill.up();
  });
  afterAll(() => waybill.dispose());

  test("lanes --json has each lane's id and team member", async () => {
    const { lanes } = await waybill.json<{ lanes: { id: string; member: string | null }[] }>("lanes");
    expect(lanes.map((lane) => lane.id).sort()).toEqual(["asking", "chat", "silent"]);
    expect(lanes.find((lane) => lane.id === "chat")?.member).toBe("tom");
  });

  test("send --wait --json ends with the delivery on one line", async () => {
    const { code, stdout } = await waybill.run(["send", "--lane", "chat", "--wait", "--json", "--id", "m1", "Green?"]);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(code).toBe(0);
    expect(lines.at(-1)).toMatchObject({ messageId: "m1", status: "responded", attempts: 1 });
    expect(lines.map((line) => line.event)).toContain("accepted");
  });

  test("send reads its text from standard input, and accepts a team member as recipient", async () => {
    const sent = await waybill.run(["send", "--team", "core", "--member", "Tom", "--wait"], {
      input: "Is it green?\n",
    });
    expect(sent).toMatchObject({ code: 0, stdout: "Yes: 412 tests.\n" });
  });

  test("a failure has its own exit code, its reason, and can be retried and cancelled", async () => {
    const failed = await waybill.run(["send", "--lane", "silent", "--wait", "--id", "f1", "Hello?"]);
    expect(failed).toMatchObject({ code: 3, stderr: expect.stringMatching(/empty_assistant_turn/) });
    expect((await waybill.run(["why", "f1"])).stdout).toMatch(/failed/);
    expect(await waybill.run(["retry", "f1"])).toMatchObject({ code: 0 });
    expect(await waybill.run(["cancel", "f1"])).toMatchObject({ code: 0 });
    expect(await waybill.json("show", "f1")).toMatchObject({ status: "cancelled", messageId: "f1" });
  });

  test("a permission is listed and answered, and the work continues", async () => {
    const sent = waybill.run(["send", "--lane", "asking", "--wait", "Clean up."]);
    let asks: { id: string; title: string }[] = [];
    while (asks.length === 0) ({ asks } = await waybill.json<{ asks: { id: string; title: string }[] }>("asks"));
    expect(asks[0]?.title).toBe("rm -rf build");
    expect(await waybill.run(["answer", asks[0]?.id ?? "", "once"])).toMatchObject({ code: 0 });
    expect(await sent).toMatchObject({ code: 0, stdout: "Removed 3 files.\n" });
    expect(await waybill.run(["answer", asks[0]?.id ?? "", "once"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/No open ask/),
    });
  });

  test("a message behind a long turn can be withdrawn, and the turn aborted", async () => {
    await waybill.json("send", "--lane", "chat", "--id", "w1", "Work forever.");
    await expect.poll(() => waybill.json("show", "w1")).toMatchObject({ status: "accepted" });
    await waybill.json("send", "--lane", "chat", "--id", "w2", "And then this.");
    expect((await waybill.run(["why", "w2"])).stdout).toMatch(/is waiting for message w1/);
    expect(await waybill.run(["withdraw", "w2"])).toMatchObject({ code: 0 });
    expect(await waybill.run(["withdraw", "w1"])).toMatchObject({ code: 1 });
    expect(await waybill.run(["lanes", "abort", "chat"])).toMatchObject({ code: 0 });
    expect(await waybill.json("show", "w1")).toMatchObject({ status: "cancelled", reason: "stopped_by_person" });
  });

  test("messages are found by their words", async () => {
    const { messages } = await waybill.json<{ messages: { text: string }[] }>("messages", "--search", "412 tes");
    expect(messages[0]?.text).toBe("Yes: 412 tests.");
    expect(await waybill.json("messages", "--search", "nonsense")).toMatchObject({ messages: [] });
  });

  test("a paused lane keeps its messages", async () => {
    await waybill.run(["lanes", "pause", "chat"]);
    await waybill.json("send", "--lane", "chat", "--id", "p1", "Green?");
    expect((await waybill.run(["why", "p1"])).stdout).toMatch(/paused/);
    await waybill.run(["lanes", "resume", "chat"]);
    const { deliveries } = await waybill.client().deliveries({ messageId: "p1" });
    expect(await waybill.client().wait(deliveries[0]?.id ?? "")).toMatchObject({ status: "responded" });
  });

  test("a lane is added and removed", async () => {
    expect(await waybill.run(["lanes", "add", "docs", "--directory", waybill.work])).toMatchObject({ code: 0 });
    expect(await waybill.run(["lanes", "add", "evil", "--directory", "/etc"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/allowed/),
    });
    expect(await waybill.run(["lanes", "remove", "docs"])).toMatchObject({ code: 0 });
  });
});
