import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aLane } from "../support/daemon/waybill.ts";
import { aRow, eventually } from "../support/teams/team-directory.ts";
import { startTeamWorld } from "../support/teams/team-world.ts";

const says = (text: string) => ({ always: [{ steps: [{ say: text }] }] });
const system = (data: object, row = {}) => aRow({ from: "team-lead", text: JSON.stringify(data), ...row });

describe("a row for a member that Waybill runs", () => {
  test("is delivered, and flagged as read only once it is answered; the rest of the file stays as it was", async () => {
    const team = await startTeamWorld({ script: { always: [{ steps: [{ wait: 300 }, { say: "Port 8080." }] }] } });
    const before = [{ ...aRow({ messageId: "old", read: true }), mood: "good" }, 7, { from: 3 }];
    const row = { ...aRow({ messageId: "m1", text: "Which port?" }), color: "blue", extra: { a: [1] } };
    team.files.put("tom", [...before, row]);
    await team.reaches("m1", "tom", "accepted");
    expect(team.files.row("tom", "m1")).toEqual(row);
    await team.reaches("m1", "tom", "responded");
    await team.isRead("tom", "m1");
    expect(team.files.rows("tom")).toEqual([...before, { ...row, read: true }]);
    expect(team.prompts("m1")).toHaveLength(1);
    expect(await team.delivery("m1", "tom")).toMatchObject({
      ...{ source: "watcher", inboxFile: { team: "crew", member: "tom" } },
      ...{ replyTo: { kind: "member", team: "crew", member: "nate" } },
    });
  });

  test("without an id gets one from its content, and is delivered once, even after a restart", async () => {
    const team = await startTeamWorld({ script: says("Port 8080.") });
    const { messageId: _, ...row } = aRow({ text: "Which port?" });
    team.files.put("tom", [row]);
    await eventually(() => team.files.rows("tom")[0]?.read === true);
    const [message] = (await team.waybill.store.messages({ lane: "tom", limit: 10 })).items.filter(
      ({ source }) => source === "watcher",
    );
    expect(message?.id).toMatch(/^row-[0-9a-f]{64}$/);
    // Flagged as unread by another program: the flag is owed, but no prompt.
    team.files.put("tom", [row]);
    await team.stop();
    await team.start();
    await eventually(() => team.files.rows("tom")[0]?.read === true);
    team.files.put("tom", [row]);
    await eventually(() => team.files.rows("tom")[0]?.read === true);
    expect(team.prompts()).toHaveLength(1);
  });

  test("that is never answered stays unread, and the next one is delivered", async () => {
    const team = await startTeamWorld({
      script: { always: [{ when: "first", steps: [] }, { steps: [{ say: "Yes: 3." }] }] },
    });
    team.files.put("tom", [aRow({ messageId: "m1", text: "first" }), aRow({ messageId: "m2", text: "second" })]);
    await team.reaches("m2", "tom", "responded");
    await team.isRead("tom", "m2");
    expect(await team.delivery("m1", "tom")).toMatchObject({ status: "failed_terminal", attempts: 3 });
    expect(team.files.row("tom", "m1")?.read).toBe(false);
  });

  test("that assigns a task is delivered with the task's text and reference", async () => {
    const team = await startTeamWorld({ script: says("Done: 4 tests added in auth.test.ts.") });
    const task = {
      type: "task_assignment",
      taskId: "12",
      subject: "Add tests",
      description: "For the login.",
      assignedBy: "team-lead",
    };
    team.files.put("tom", [system(task, { messageId: "m1" })]);
    const record = await team.reaches("m1", "tom", "responded");
    expect(record).toMatchObject({ actionMode: "do", taskRefs: [{ id: "12", title: "Add tests" }] });
    const [prompt] = team.prompts("m1");
    expect(prompt?.text).toContain("Task 12 was assigned to you by team-lead: Add tests\n\nFor the login.");
    await team.isRead("tom", "m1");
  });

  test("that assigns a task is flagged as read once the agent starts the task, even without a text", async () => {
    const team = await startTeamWorld({
      policy: { summarizeSilentWork: false },
      script: { always: [{ steps: [{ tool: "task_start" }] }] },
    });
    team.files.put("tom", [
      system({ type: "task_assignment", taskId: "12", subject: "Add tests" }, { messageId: "m1" }),
    ]);
    await team.isRead("tom", "m1");
    expect(await team.delivery("m1", "tom")).toMatchObject({ status: "responded", proof: { by: "tool" }, attempts: 1 });
  });

  test("with attachments fails and stays unread, instead of being sent as text alone", async () => {
    const team = await startTeamWorld({ script: says("Port 8080.") });
    const files = [{ id: "a1", filename: "a.png", mimeType: "image/png", size: 3 }, "b.txt", null];
    team.files.put("tom", [aRow({ messageId: "m1", attachments: files }), aRow({ messageId: "m2", attachments: [] })]);
    await team.isRead("tom", "m2");
    expect(await team.delivery("m1", "tom")).toMatchObject({
      ...{ status: "failed_terminal", lastReason: expect.stringContaining("attachments_not_supported"), attempts: 0 },
    });
    const message = await team.waybill.store.message({ kind: "lane", lane: "tom" }, "m1");
    expect(message?.attachments).toMatchObject([{ id: "a1", name: "a.png" }, { name: "b.txt" }, { name: "file" }]);
    expect(team.files.row("tom", "m1")?.read).toBe(false);
    expect(team.prompts()).toHaveLength(1);
  });

  test("is noticed when its file changes, however rare the rescans", async () => {
    const team = await startTeamWorld({ rescanMs: 3_600_000, script: says("Port 8080.") });
    team.files.put("tom", [aRow({ messageId: "m1" })]);
    await team.isRead("tom", "m1");
  });

  test("is one message however often its file is written while the agent works", async () => {
    const team = await startTeamWorld({
      script: { always: [{ steps: [{ ask: "permission" }, { say: "Port 8080." }] }] },
    });
    const row = aRow({ messageId: "m1" });
    team.files.put("tom", [row]);
    await eventually(async () => (await team.service.asks()).length === 1);
    for (let time = 0; time < 10; time++) {
      team.files.put("tom", [row]);
      await team.scanned();
    }
    await team.service.answer((await team.service.asks())[0]?.id ?? "", { decision: "once" });
    await team.isRead("tom", "m1");
    expect(team.prompts()).toHaveLength(1);
    expect((await team.waybill.store.deliveries({ limit: 10 })).items).toHaveLength(1);
  });

  test("that is answered while Waybill is stopped is flagged by the next start, without another prompt", async () => {
    const hour = 3_600_000;
    const team = await startTeamWorld({
      policy: { graceMs: hour, firstReconcileDelayMs: hour, maxReconcileDelayMs: hour },
      script: { hints: false, ...says("Port 8080.") },
    });
    team.files.put("tom", [aRow({ messageId: "m1" })]);
    await team.reaches("m1", "tom", "accepted");
    await team.stop();
    expect(team.files.row("tom", "m1")?.read).toBe(false);
    await team.start();
    await team.isRead("tom", "m1");
    expect(await team.delivery("m1", "tom")).toMatchObject({ status: "responded", attempts: 1 });
    expect(team.prompts()).toHaveLength(1);
  });

  test("from one program to another is shown as such, flagged as read, and never a prompt", async () => {
    const team = await startTeamWorld({ script: says("Hello.") });
    const types = ["idle_notification", "permission_response", "shutdown_rejected", "plan_approval_response"];
    team.files.put(
      "tom",
      types.map((type) => system({ type, from: "team-lead" })),
    );
    await eventually(() => team.files.rows("tom").every(({ read }) => read === true));
    expect((await team.notes("system_row")).map(({ rowType, from }) => [rowType, from])).toEqual(
      types.map((type) => [type, "team-lead"]),
    );
    expect(team.prompts()).toEqual([]);
  });

  test("with a request is shown to a person, answered in its sender's inbox, and then flagged as read", async () => {
    const team = await startTeamWorld({ runs: ["team-lead"] });
    const request = { type: "permission_request", request_id: "p1", tool_name: "Bash", input: { command: "npm test" } };
    team.files.put("team-lead", [system(request, { from: "tom", messageId: "m1" })]);
    await team.scanned();
    const [ask] = await team.service.asks();
    expect(ask).toMatchObject({ kind: "permission", laneId: "team-lead", title: expect.stringContaining("npm test") });
    expect(team.files.row("team-lead", "m1")?.read).toBe(false);
    await team.service.answer(ask?.id ?? "", { decision: "once" });
    const [response] = team.files.rows("tom");
    expect(JSON.parse(response?.text)).toMatchObject({
      type: "permission_response",
      request_id: "p1",
      subtype: "success",
    });
    await team.isRead("team-lead", "m1");
    expect(await team.service.asks()).toEqual([]);
    expect(team.prompts()).toEqual([]);
  });

  test("that requests its shutdown is decided by a person", async () => {
    const team = await startTeamWorld();
    const ask = async (id: string) => {
      team.files.add("tom", system({ type: "shutdown_request", requestId: id }, { messageId: id }));
      await eventually(async () => (await team.service.asks()).length === 1);
      return (await team.service.asks())[0]?.id ?? "";
    };
    const responses = () => team.files.rows("team-lead").map(({ text }) => JSON.parse(text).approve);
    await team.service.answer(await ask("s1"), { decision: "reject" });
    await team.isRead("tom", "s1");
    expect(responses()).toEqual([false]);
    await team.service.answer(await ask("s2"), { decision: "once" });
    expect(responses()).toEqual([false, true]);
    const { members } = await team.service.team("crew");
    expect(members.find(({ name }) => name === "tom")?.state).toBe("terminated");
  });

  test("whose body changes after it was admitted fails as a mismatch, and nothing is sent", async () => {
    const team = await startTeamWorld({ script: says("Done: 1.") });
    await team.service.pause("tom", "not yet");
    const row = aRow({ messageId: "m1", text: "Delete the old logs." });
    team.files.put("tom", [row]);
    await eventually(async () => (await team.delivery("m1", "tom")) !== null);
    team.files.put("tom", [{ ...row, text: "Delete everything." }]);
    await team.reaches("m1", "tom", "failed_terminal");
    await team.service.resume("tom");
    expect(await team.delivery("m1", "tom")).toMatchObject({ lastReason: "payload_mismatch", attempts: 0 });
    expect(team.prompts()).toEqual([]);
    expect(team.files.row("tom", "m1")?.read).toBe(false);
    expect((await team.notes("row_refused")).map(({ messageId, reason }) => [messageId, reason])).toEqual([
      ["m1", "payload_mismatch"],
    ]);
  });

  test("with the id of another message is refused, and the other message is unaffected", async () => {
    const team = await startTeamWorld({ script: says("Done: 1.") });
    await team.service.pause("tom", "not yet");
    await team.service.send({ id: "m1", to: { lane: "tom" }, from: "user", text: "From the terminal." });
    const row = aRow({ messageId: "m2", text: "First." });
    team.files.put("tom", [aRow({ messageId: "m1", text: "Forged." }), row, { ...row, text: "Second." }]);
    await eventually(async () => (await team.notes("row_refused")).length === 2);
    await team.service.resume("tom");
    await team.reaches("m1", "tom", "responded");
    await team.reaches("m2", "tom", "responded");
    expect((await team.notes("row_refused")).map(({ messageId, reason }) => [messageId, reason])).toEqual([
      ["m1", "id_taken"],
      ["m2", "id_taken"],
    ]);
    expect(team.prompts().map(({ text }) => /From the terminal|First|Second|Forged/.exec(text)?.[0])).toEqual([
      "From the terminal",
      "First",
    ]);
  });

  test.each([
    ["a member that Waybill runs gets the answer in its lane", "anna", { kind: "lane", lane: "anna" }],
    ["a native member gets it in its inbox", "Nate", { kind: "member", team: "crew", member: "nate" }],
    ["the person gets it", "user", null],
    ["an unknown sender does not: the owner gets it", "mallory", null],
    ["one that claims to be the recipient does not: the owner gets it", "tom", null],
  ])("from %s", async (_, from, replyTo) => {
    const team = await startTeamWorld({ runs: ["tom", "anna"], script: says("Port 8080.") });
    team.files.put("tom", [aRow({ messageId: "m1", from })]);
    const record = await team.reaches("m1", "tom", "responded");
    expect(record.replyTo).toEqual(replyTo);
    if (replyTo === null) expect((await team.mail()).map(({ text }) => text)).toContain("Port 8080.");
    // The sender that a row names is not verified by a connection.
    const message = await team.waybill.store.message({ kind: "lane", lane: "tom" }, "m1");
    expect(message).toMatchObject({ from, fromLane: null });
    expect(message).not.toHaveProperty("fromMember");
  });

  test.each([
    ["not an object", 17],
    ["without a sender", { ...aRow(), from: undefined }],
    ["with a number as its text", { ...aRow(), text: 5 }],
    ["with an empty text", { ...aRow(), text: " " }],
    ["without a time", { ...aRow(), timestamp: "yesterday" }],
    ["with a text that is too long", { ...aRow(), text: "x".repeat(300_000) }],
  ])("that is invalid (%s) is shown once and left alone, and the others are delivered", async (_, bad) => {
    const team = await startTeamWorld({ script: says("Port 8080.") });
    team.files.put("tom", [bad, aRow({ messageId: "m1" })]);
    await team.reaches("m1", "tom", "responded");
    await team.isRead("tom", "m1");
    expect(team.files.rows("tom")[0]).toEqual(JSON.parse(JSON.stringify(bad)));
    expect((await team.notes("row_refused")).map(({ reason }) => reason)).toEqual(["row_invalid"]);
  });
});

describe("rows older than the store", () => {
  const old = (id: string) => aRow({ messageId: id, timestamp: "2025-12-31T00:00:00.000Z" });

  test("are searched in the directory's sessions, and those already sent are not sent again", async () => {
    const team = await startTeamWorld({ script: { always: [{ when: "m1", steps: [{ say: "Port 8080." }] }] } });
    team.files.put("tom", [aRow({ messageId: "m1" }), aRow({ messageId: "m2" })]);
    await team.reaches("m1", "tom", "responded");
    await team.reaches("m2", "tom", "failed_terminal");
    const sent = team.prompts().length;
    await team.stop();
    // The store is lost, but the agent program is not. The rows have lost their flags as well.
    team.loseStore();
    team.files.put(
      "tom",
      team.files.rows("tom").map((row) => ({ ...row, read: false })),
    );
    await team.start();
    await team.import(["tom"]);
    await team.reaches("m1", "tom", "responded");
    expect(team.prompts()).toHaveLength(sent);
    await team.isRead("tom", "m1");
  });

  test("that were never sent are sent", async () => {
    const team = await startTeamWorld({
      script: says("Port 8080."),
      prepare: (files) => files.put("tom", [old("m1")]),
    });
    const { id } = await team.reaches("m1", "tom", "responded");
    const history = (await team.waybill.store.history(id)).map(({ type }) => type);
    expect(history.slice(0, 3)).toEqual(["admitted", "attempts_searched", "submit"]);
    expect(team.prompts()).toHaveLength(1);
  });

  test("are held with an alert if the sessions cannot be listed, until a person decides", async () => {
    const team = await startTeamWorld({ runs: [], prepare: (files) => files.put("tom", [old("m1"), old("m2")]) });
    Object.assign(team.stub, { sessionsIn: undefined });
    await team.waybill.store.putLane(aLane({ id: "tom" }));
    await team.import(["tom"]);
    await eventually(async () => (await team.delivery("m2", "tom"))?.heldReason === "may_have_been_sent_before");
    expect(team.prompts()).toEqual([]);
    expect(team.files.rows("tom").map(({ read }) => read)).toEqual([false, false]);
    const { items } = await team.waybill.store.readLog({ types: ["alert"], limit: 10 });
    expect(items).toHaveLength(2);
    const held = await team.delivery("m1", "tom");
    expect((await team.service.delivery(held?.id ?? "")).outlook.words).toContain("waybill retry m1");
    await team.service.retry(held?.id ?? "");
    await eventually(() => team.prompts("m1").length === 1);
    await team.service.cancel((await team.delivery("m2", "tom"))?.id ?? "");
    await team.isRead("tom", "m2");
    expect(team.prompts("m2")).toEqual([]);
  });
});

describe("an inbox file of a member that Waybill runs", () => {
  test("that is damaged is quarantined, left alone, reported, and read again once it is repaired", async () => {
    const team = await startTeamWorld({ script: says("Port 8080.") });
    const text = JSON.stringify([aRow({ messageId: "m1" })]);
    writeFileSync(team.files.file("tom"), text.slice(0, -7));
    const problems = async () => (await team.notes("problem")).filter(({ inbox }) => inbox === "tom");
    const codes = async () => (await team.service.team("crew")).notices.map(({ code }) => code);
    await eventually(async () => (await problems()).length === 1);
    expect(await problems()).toMatchObject([{ reason: "corrupt" }]);
    expect(await codes()).toContain("corrupt");
    expect((await team.service.readiness()).reasons).toContain("corrupt:inbox_files");
    const copies = join(team.home, "inboxes", "quarantine");
    expect(readdirSync(copies)).toHaveLength(1);
    writeFileSync(team.files.file("tom"), text);
    await team.reaches("m1", "tom", "responded");
    expect(await team.notes("usable")).toHaveLength(1);
    expect(await codes()).not.toContain("corrupt");
  });

  test("that cannot be written keeps the read owed, without another prompt, until it can be", async () => {
    const team = await startTeamWorld({ script: says("Port 8080.") });
    team.files.put("tom", [aRow({ messageId: "m1" })]);
    await team.reaches("m1", "tom", "accepted");
    chmodSync(team.files.file("tom"), 0o444);
    await eventually(async () => (await team.delivery("m1", "tom"))?.readCommitError != null);
    expect(await team.delivery("m1", "tom")).toMatchObject({ status: "responded", readCommittedAt: null });
    chmodSync(team.files.file("tom"), 0o644);
    await team.isRead("tom", "m1");
    expect(team.prompts()).toHaveLength(1);
    expect(existsSync(`${team.files.file("tom")}.lock`)).toBe(false);
  });

  test("that becomes writable only after a restart is flagged by the next run", async () => {
    const team = await startTeamWorld({
      script: says("Port 8080."),
      prepare: (files) => {
        files.make(["team-lead", "Tom", "nate"]);
        files.put("Tom", [aRow({ messageId: "m1" })]);
        chmodSync(files.file("Tom"), 0o444);
      },
    });
    await eventually(async () => (await team.delivery("m1", "tom"))?.readCommitError != null);
    await team.stop();
    chmodSync(team.files.file("Tom"), 0o644);
    await team.start();
    await team.isRead("Tom", "m1");
    await eventually(async () => (await team.delivery("m1", "tom"))?.readCommittedAt != null);
    expect(await team.delivery("m1", "tom")).toMatchObject({ diagnostics: [] });
  });

  test.each([
    ["", false],
    [", even after a restart", true],
  ])("whose lane a person released is flagged once possible, without another prompt%s", async (_, restarts) => {
    const team = await startTeamWorld({ script: says("Port 8080.") });
    team.files.put("tom", [aRow({ messageId: "m1" })]);
    chmodSync(team.files.file("tom"), 0o444);
    await eventually(async () => (await team.delivery("m1", "tom"))?.readCommitError != null);
    await team.service.release("tom");
    expect(await team.delivery("m1", "tom")).toMatchObject({ readCommittedAt: expect.any(Number) });
    if (restarts) {
      await team.stop();
      await team.start();
    }
    await eventually(async () => (await team.problems()).includes("read_only"));
    expect(team.files.row("tom", "m1")?.read).toBe(false);
    chmodSync(team.files.file("tom"), 0o644);
    await team.isRead("tom", "m1");
    await eventually(async () => !(await team.problems()).includes("read_only"));
    expect(team.prompts()).toHaveLength(1);
  });

  test("that grows large has its read rows archived", async () => {
    const team = await startTeamWorld({ script: says("Port 8080.") });
    const large = Array.from({ length: 300 }, (_, n) =>
      aRow({ messageId: `o${n}`, read: true, text: "x".repeat(1000) }),
    );
    team.files.put("tom", [...large, aRow({ messageId: "m1" })]);
    await team.reaches("m1", "tom", "responded");
    await eventually(() => team.files.rows("tom").length < 10);
    const archive = readFileSync(join(team.home, "inboxes", "archive", "crew-tom.jsonl"), "utf8");
    expect(archive.trim().split("\n").length).toBeGreaterThanOrEqual(300);
  });
});
