import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aRow, eventually } from "../support/teams/team-directory.ts";
import type { TeamWorld } from "../support/teams/team-world.ts";
import { startTeamWorld, TeamWorld as World } from "../support/teams/team-world.ts";

const toNate = { team: "crew", member: "nate" };
const send = (team: TeamWorld, id: string, more: object = {}) =>
  team.service.send({ id, to: toNate, from: "user", text: `About ${id}.`, ...more });
const reaches = (team: TeamWorld, id: string, state: string) =>
  eventually(async () => (await team.handOver(id))?.state === state);
const warnings = async (team: TeamWorld) => (await team.mail()).filter(({ from }) => from === "waybill");

describe("a message to a native member", () => {
  test("is written into its inbox with its id, read back, and handed over", async () => {
    const team = await startTeamWorld();
    const others = [aRow(), { odd: true }, 5];
    team.files.put("nate", others);
    const { handOver, waits } = await send(team, "m1", {
      summary: "news",
      taskRefs: [{ id: "12" }],
      actionMode: "ask",
    });
    expect([handOver?.state, waits]).toEqual(["handed_over", null]);
    expect(team.files.rows("nate")).toEqual([
      ...others,
      {
        ...{ from: "user", text: "About m1.", summary: "news", timestamp: expect.any(String), read: false },
        ...{ messageId: "m1", taskRefs: [{ id: "12" }], actionMode: "ask", source: "waybill" },
      },
    ]);
    expect(await team.waybill.store.deliveries({ limit: 10 })).toMatchObject({ items: [] });
  });

  test("comes from waybill in a Claude Code session's team, and its text names the sender", async () => {
    const team = await startTeamWorld({
      prepare: (files) => files.make(["team-lead", "tom", "nate"], { leadProcess: { pid: process.pid } }),
    });
    await send(team, "m1", { from: "anna" });
    expect(team.files.rows("nate")).toEqual([
      {
        ...{ from: "waybill", summary: "About m1.", timestamp: expect.any(String), read: false, messageId: "m1" },
        ...{ msgV: 1, msg_id: expect.stringMatching(/^[0-9a-f-]{36}$/), type: "message" },
        text: expect.stringMatching(/^\[waybill message m1 from anna\]\n\nAbout m1\./),
      },
    ]);
  });

  test("is taken once its row is flagged as read, which is not an answer", async () => {
    const team = await startTeamWorld();
    await send(team, "m1");
    team.files.put(
      "nate",
      team.files.rows("nate").map((row) => ({ ...row, read: true })),
    );
    await reaches(team, "m1", "taken");
    expect(await team.mail()).toEqual([]);
    expect((await team.service.messages({ limit: 10 })).items).toMatchObject([
      { id: "m1", readAt: null, handOver: { state: "taken", reason: "read" } },
    ]);
  });

  test("is taken in a session's team when its row is removed while the program runs", async () => {
    const team = await startTeamWorld({
      prepare: (files) => files.make(["team-lead", "nate"], { leadProcess: { pid: process.pid } }),
    });
    await send(team, "m1");
    team.files.put("nate", []);
    await reaches(team, "m1", "taken");
    expect(await warnings(team)).toEqual([]);
  });

  test("whose row disappears otherwise is shown as taken or lost, and its sender is warned once", async () => {
    const team = await startTeamWorld();
    await send(team, "m1");
    team.files.put("nate", []);
    await reaches(team, "m1", "gone");
    expect(await warnings(team)).toMatchObject([{ relayOf: "m1", text: expect.stringContaining("taken or lost") }]);
    team.files.put("nate", [aRow()]);
    await team.scanned();
    expect(await warnings(team)).toHaveLength(1);
  });

  test("whose row an older file removed is written again, and the restore is logged", async () => {
    const team = await startTeamWorld();
    const older = [aRow({ messageId: "older" })];
    team.files.put("nate", older);
    await send(team, "m1");
    await send(team, "m2");
    team.files.put("nate", [...older, aRow({ messageId: "later" })]);
    await eventually(() => team.files.row("nate", "m1") !== undefined && team.files.row("nate", "m2") !== undefined);
    expect(team.files.rows("nate").map(({ messageId }) => messageId)).toEqual(["older", "later", "m1", "m2"]);
    await eventually(async () => (await team.notes("restored")).length === 2);
    expect(await warnings(team)).toEqual([]);
  });

  test("whose row an older file removed while Waybill was stopped is written again, like those behind it", async () => {
    const team = await startTeamWorld();
    const older = [aRow({ messageId: "older" })];
    team.files.put("nate", older);
    for (const id of ["m1", "m2", "m3"]) await send(team, id);
    await team.stop();
    team.files.put("nate", older);
    await team.start();
    await eventually(() => team.files.rows("nate").length === 4);
    expect(team.files.rows("nate").map(({ messageId }) => messageId)).toEqual(["older", "m1", "m2", "m3"]);
    await eventually(async () => (await team.notes("restored")).length === 3);
    expect(await warnings(team)).toEqual([]);
  });

  test.each([
    ["of the classic form", {}, { messageId: "older" }],
    ["of a live session", { leadProcess: { pid: process.pid } }, { messageId: undefined, msg_id: "older" }],
  ])(
    "whose row an older file keeps removing is given up, and its sender is warned, in a team %s",
    async (_, config, row) => {
      const team = await startTeamWorld({ prepare: (files) => files.make(["team-lead", "nate"], config), runs: [] });
      const older = [aRow(row)];
      team.files.put("nate", older);
      await send(team, "m1");
      for (let times = 0; (await team.handOver("m1"))?.state === "handed_over"; times++) {
        expect(times).toBeLessThan(10);
        await eventually(() => team.files.row("nate", "m1") !== undefined);
        await team.scanned();
        team.files.put("nate", older);
        await team.scanned();
      }
      expect(await team.handOver("m1")).toMatchObject({ state: "gone", writes: 4 });
      expect(await warnings(team)).toHaveLength(1);
    },
  );

  test.each([
    ["damaged", "corrupt", (path: string) => writeFileSync(path, "[{")],
    ["a link", "link", (path: string) => symlinkSync("/etc/passwd", path)],
    ["read-only", "read_only", (path: string) => writeFileSync(path, "[]", { mode: 0o444 })],
    ["a directory", "link", (path: string) => mkdirSync(path)],
  ])("waits with a reason while the file is %s, and is written afterwards", async (_, reason, spoil) => {
    const team = await startTeamWorld();
    spoil(team.files.file("nate"));
    await send(team, "m1");
    await eventually(async () => (await team.handOver("m1"))?.reason === reason);
    const { handOver, waits } = await send(team, "m1");
    expect(handOver).toMatchObject({ state: "waiting", reason });
    expect(waits).toContain(reason);
    rmSync(team.files.file("nate"), { recursive: true, force: true });
    await reaches(team, "m1", "handed_over");
    expect(team.files.rows("nate")).toHaveLength(1);
  });

  test("waits while its team is paused, and is written when it is resumed", async () => {
    const team = await startTeamWorld();
    await team.service.pauseTeam("crew");
    const { handOver, waits } = await send(team, "m1");
    expect([handOver?.state, waits]).toEqual(["waiting", "nate is paused (team_paused)"]);
    await team.service.resumeTeam("crew");
    await reaches(team, "m1", "handed_over");
  });

  test("sent before the team had files is written once it has them", async () => {
    const team = await startTeamWorld();
    await team.service.removeTeam("crew");
    await team.service.putTeam({ name: "crew", displayName: null });
    await team.service.putMember("crew", {
      name: "nate",
      kind: "native",
      lane: null,
      displayName: null,
      role: null,
      color: null,
      contract: null,
    });
    await send(team, "m1");
    await team.import();
    await reaches(team, "m1", "handed_over");
  });

  test("with attachments is refused, and never written as text alone", async () => {
    const team = await startTeamWorld();
    const bytes = Buffer.from("notes");
    const attachments = [await team.service.storeAttachment({ name: "a.txt", mimeType: "text/plain", bytes })];
    await expect(send(team, "m1", { attachments })).rejects.toMatchObject({ code: "attachments_not_supported" });
    expect((await team.service.messages({ limit: 10 })).items).toEqual([]);
    // Before the team had files it was accepted. It is not written afterwards either, and has a reason.
    await team.service.removeTeam("crew");
    await team.service.putTeam({ name: "crew", displayName: null });
    const nate = { name: "nate", kind: "native", lane: null, displayName: null, role: null, color: null } as const;
    await team.service.putMember("crew", { ...nate, contract: null });
    await send(team, "m2", { attachments });
    await send(team, "m3");
    await team.import();
    await reaches(team, "m3", "handed_over");
    expect(await team.handOver("m2")).toMatchObject({ state: "waiting", reason: "attachments_not_supported" });
    expect(team.files.rows("nate").map(({ messageId }) => messageId)).toEqual(["m3"]);
  });

  test("triggers nothing by its own write: Waybill does not take its own rows for others'", async () => {
    const team = await startTeamWorld({ script: { always: [{ steps: [{ say: "Port 8080." }] }] } });
    team.files.put("tom", [aRow({ messageId: "m1", from: "nate" })]);
    await team.isRead("tom", "m1");
    await eventually(() => team.files.rows("nate").length === 1);
    await send(team, "m2");
    await team.scanned();
    await team.scanned();
    const messages = (await team.service.messages({ limit: 50 })).items;
    expect(messages).toHaveLength(3);
    expect(team.prompts()).toHaveLength(1);
    const before = statSync(team.files.file("nate")).mtimeMs;
    await team.scanned();
    expect(statSync(team.files.file("nate")).mtimeMs).toBe(before);
  });
});

describe("an answer of a native member", () => {
  const relay = { relayOfMessageId: "m1" };
  test.each([
    ["by relayOfMessageId", { text: "It is green.", ...relay }, "It is green."],
    ["by the id at the start of its text", { text: "m1: it is green." }, "it is green."],
    ["by the id as Waybill wrote it", { text: "[waybill message m1] It is green." }, "It is green."],
  ])("reaches the sender of the message: %s", async (_, row, text) => {
    const team = await startTeamWorld();
    await send(team, "m1");
    team.files.add("user", aRow({ from: "nate", messageId: "a1", ...row }));
    await eventually(async () => (await team.mail()).length === 1);
    expect(await team.mail()).toEqual([{ from: "nate", text, relayOf: "m1" }]);
    expect(team.files.row("user", "a1")?.read).toBe(false);
  });

  test.each([
    ["of another member", { from: "tom", text: "m1: it is green.", ...relay }],
    ["that names it later in its text", { from: "nate", text: "About m1: it is green." }],
    ["that names a message it never received", { from: "nate", text: "x", relayOfMessageId: "m9" }],
    ["that only comes soon after it", { from: "nate", text: "It is green." }],
  ])("is not a row %s, which is shown as an ordinary message", async (_, row) => {
    const team = await startTeamWorld();
    await send(team, "m1");
    team.files.add("user", aRow(row));
    await eventually(async () => (await team.mail()).length === 1);
    expect(await team.mail()).toEqual([{ from: row.from, text: row.text, relayOf: null }]);
  });

  test("without an id is shown once, even if its file is written again and after a restart", async () => {
    const team = await startTeamWorld();
    const { messageId: _, ...row } = aRow({ text: "The build is green." });
    team.files.put("user", [row]);
    await eventually(async () => (await team.mail()).length === 1);
    team.files.put("user", [{ ...row, read: true }]);
    await team.scanned();
    team.files.put("user", [row]);
    await team.scanned();
    await team.stop();
    await team.start();
    await team.scanned();
    expect(await team.mail()).toEqual([{ from: "nate", text: "The build is green.", relayOf: null }]);
  });

  test("to an agent arrives in its lane as a message that needs no answer", async () => {
    const team = await startTeamWorld({ script: { always: [{ steps: [{ say: "Noted: green." }] }] } });
    const tom = { kind: "lane", lane: "tom" } as const;
    await team.waybill.admission.admit({ id: "m1", to: toNate, from: "tom", text: "Is it green?" }, { agent: tom });
    await reaches(team, "m1", "handed_over");
    team.files.add("tom", aRow({ from: "nate", messageId: "a1", text: "m1 yes" }));
    const record = await team.reaches("a1", "tom", "responded");
    expect(record).toMatchObject({ actionMode: "notify", proof: { by: "notified_turn" } });
    await team.isRead("tom", "a1");
    expect(team.files.rows("nate").map(({ messageId }) => messageId)).toEqual(["m1"]);
  });
});

describe("a team of a Claude Code session", () => {
  const live = { leadProcess: { pid: process.pid } };
  const session = (more: object = {}) =>
    startTeamWorld({ prepare: (files) => files.make(["team-lead", "nate"], { ...live, ...more }), runs: [] });
  const config = (team: TeamWorld) => JSON.parse(readFileSync(join(team.files.path, "config.json"), "utf8"));

  test("is shown as unable to answer unless Waybill joins it; then its agents are told how to answer", async () => {
    const team = await session();
    expect((await send(team, "m1")).handOver).toMatchObject({ state: "handed_over", reason: "cannot_answer" });
    expect(team.files.row("nate", "m1")?.text).not.toContain("To answer");
    const before = config(team);
    await team.service.importTeam({ directory: team.files.path, name: null, lanes: {}, join: true });
    await team.service.importTeam({ directory: team.files.path, name: null, lanes: {}, join: true });
    const waybill = { agentId: "waybill@crew", name: "waybill" };
    expect(config(team)).toEqual({ ...before, members: [...before.members, waybill] });
    expect((await send(team, "m2")).handOver).toMatchObject({ state: "handed_over", reason: null });
    expect(team.files.row("nate", "m2")?.text).toContain("send a message to waybill that begins with m2");
    const row = { from: "nate", text: "m2: it is green.", timestamp: new Date().toISOString(), read: false };
    team.files.put("waybill", [{ ...row, msgV: 1, msg_id: "0e8e6c5e-0000-4000-8000-000000000000", type: "message" }]);
    await eventually(async () => (await team.mail()).length === 1);
    expect(await team.mail()).toEqual([{ from: "nate", text: "it is green.", relayOf: "m2" }]);
    expect((await team.service.team("crew")).members.map(({ name }) => name)).toEqual(["team-lead", "nate"]);
  });

  test("that has ended takes nothing: messages wait until it is back, untaken ones included", async () => {
    const team = await session();
    await send(team, "m1");
    team.files.make(["team-lead", "nate"], { leadProcess: { pid: 2 ** 30 } });
    expect((await send(team, "m2")).handOver).toMatchObject({ state: "waiting", reason: "session_ended" });
    // When resumed, it begins with empty inboxes and only its lead.
    const resumed = { leadProcess: { pid: process.ppid, claimedAt: Date.now() } };
    team.files.put("nate", []);
    team.files.make(["team-lead"], resumed);
    await eventually(async () => (await team.handOver("m1"))?.reason === "not_in_team");
    team.files.make(["team-lead", "nate"], resumed);
    await reaches(team, "m2", "handed_over");
    expect(team.files.rows("nate").map(({ messageId }) => messageId)).toEqual(["m1", "m2"]);
  });

  test.each([
    ["while Waybill watches", false],
    ["while Waybill is stopped", true],
  ])("that is resumed %s has taken nothing from its old inboxes", async (_, isAway) => {
    const team = await session();
    await send(team, "m1");
    if (isAway) await team.stop();
    const leadProcess = { pid: process.ppid, claimedAt: Date.now() + 1 };
    team.files.make(["team-lead"], { leadProcess });
    rmSync(join(team.files.path, "inboxes"), { recursive: true });
    if (isAway) await team.start();
    await eventually(async () => (await team.handOver("m1"))?.state !== "handed_over");
    expect(await team.handOver("m1")).toMatchObject({ state: "waiting", reason: "not_in_team" });
    expect(await team.notes("problem")).toEqual([]);
    team.files.make(["team-lead", "nate"], { leadProcess });
    await reaches(team, "m1", "handed_over");
    expect(team.files.row("nate", "m1")).toBeDefined();
  });

  test("that is about to create a new team gets no rows in the old one", async () => {
    const team = await session();
    const claimed = (...members: object[]) =>
      team.files.make([], {
        leadProcess: { pid: process.pid, claimedAt: Date.now() },
        members: [{ name: "team-lead", agentType: "team-lead" }, ...members],
      });
    claimed({ name: "nate", joinedAt: Date.now() - 60_000 });
    await team.scanned();
    expect((await send(team, "m1")).handOver).toMatchObject({ state: "waiting", reason: "just_joined" });
    claimed();
    await eventually(async () => (await team.handOver("m1"))?.reason === "not_in_team");
    expect(team.files.rows("nate")).toEqual([]);
  });

  test("empties the inbox of a new teammate, so a row waits until that is over", async () => {
    const team = await session();
    const lead = { name: "team-lead", agentType: "team-lead" };
    const joins = (joinedAt: number) => team.files.make([], { ...live, members: [lead, { name: "nate", joinedAt }] });
    // By a clock that is ahead: it stays new until the next line changes that.
    joins(Date.now() + 600_000);
    await team.scanned();
    expect((await send(team, "m1")).handOver).toMatchObject({ state: "waiting", reason: "just_joined" });
    const joinedAt = Date.now();
    joins(joinedAt);
    await reaches(team, "m1", "handed_over");
    expect(Date.now()).toBeGreaterThanOrEqual(joinedAt + 2000);
  });
});

describe("a team's directory", () => {
  test("that is removed is reported, waiting messages are kept, and everything resumes when it is back", async () => {
    const team = await startTeamWorld({ script: { always: [{ steps: [{ wait: 300 }, { say: "Port 8080." }] }] } });
    await send(team, "m1");
    team.files.put("tom", [aRow({ messageId: "m2" })]);
    await team.reaches("m2", "tom", "accepted");
    team.files.remove();
    await reaches(team, "m1", "waiting");
    expect(await team.handOver("m1")).toMatchObject({ reason: "directory_missing" });
    expect((await team.service.team("crew")).notices).toMatchObject([{ code: "directory_missing" }]);
    const { handOver } = await send(team, "m3");
    expect(handOver).toMatchObject({ state: "waiting", reason: "directory_missing" });
    await eventually(async () => (await team.delivery("m2", "tom"))?.readCommittedAt != null);
    expect((await team.delivery("m2", "tom"))?.diagnostics).toContain("mailbox_row_gone");
    team.files.make();
    await reaches(team, "m3", "handed_over");
    const written = () => team.files.rows("nate").map(({ text }) => text);
    await eventually(() => written().length === 3);
    expect(written()).toEqual(["About m1.", "About m3.", "Port 8080."]);
    expect((await team.service.team("crew")).notices.map(({ code }) => code)).not.toContain("directory_missing");
  });

  test("that is being removed gets no new files, so that its removal succeeds", async () => {
    const team = await startTeamWorld();
    await team.service.send({ id: "m1", to: { team: "crew", member: "team-lead" }, from: "user", text: "Hello." });
    await send(team, "m2");
    await team.scanned();
    // As slowly as a busy machine does it.
    for (const name of readdirSync(join(team.files.path, "inboxes"))) {
      rmSync(join(team.files.path, "inboxes", name), { recursive: true });
      await team.scanned();
    }
    rmdirSync(join(team.files.path, "inboxes"));
    team.files.remove();
    await reaches(team, "m2", "waiting");
    expect(await warnings(team)).toEqual([]);
  });

  test("is used by one Waybill at a time; the second is refused, with the process that has it", async () => {
    const team = await startTeamWorld();
    const other = new World({});
    await other.start();
    try {
      const second = other.service.importTeam({ directory: team.files.path, name: null, lanes: {}, join: false });
      await expect(second).rejects.toMatchObject({
        code: "team_directory_in_use",
        message: expect.stringContaining(`process ${process.pid}`),
      });
      // Even if its configuration names the directory, it leaves the files alone.
      await other.waybill.store.putTeam({ name: "crew", displayName: null, createdAt: 1, directory: team.files.path });
      await other.scanned();
      expect((await other.service.team("crew")).notices).toMatchObject([{ code: "directory_in_use" }]);
      const nate = { name: "nate", kind: "native", lane: null, displayName: null, role: null, color: null } as const;
      await other.service.putMember("crew", { ...nate, contract: null });
      expect((await send(other, "m1")).handOver).toMatchObject({ state: "waiting", reason: "directory_in_use" });
      await team.service.removeTeam("crew");
      await eventually(async () =>
        (await other.service.team("crew")).notices.every(({ code }) => code !== "directory_in_use"),
      );
      await reaches(other, "m1", "handed_over");
    } finally {
      await other.stop();
    }
  });

  test.each([
    ["missing", "/nowhere/at/all", "team_directory_invalid"],
    ["not a team's", "/tmp", "team_directory_invalid"],
  ])("that is %s is refused at the import, and no team is created", async (_, directory, code) => {
    const team = await startTeamWorld();
    await expect(team.service.importTeam({ directory, name: "other", lanes: {}, join: false })).rejects.toMatchObject({
      code,
    });
    expect((await team.service.teams()).map(({ name }) => name)).toEqual(["crew"]);
  });

  test("that is imported again keeps the team's display name", async () => {
    const team = await startTeamWorld();
    await team.service.putTeam({ name: "crew", displayName: "The crew" });
    await team.service.importTeam({ directory: team.files.path, name: null, lanes: {}, join: false });
    expect(await team.service.team("crew")).toMatchObject({ displayName: "The crew", directory: team.files.path });
  });
});

describe("members of an imported team", () => {
  test("come from its configuration, with those that Waybill runs, and new ones are found", async () => {
    const team = await startTeamWorld();
    const members = async () =>
      (await team.service.team("crew")).members.map(({ name, kind, role }) => [name, kind, role]);
    expect(await members()).toEqual([
      ["tom", "lane", "worker"],
      ["team-lead", "native", "lead"],
      ["nate", "native", "worker"],
    ]);
    team.files.make(["team-lead", "tom", "nate", "Zoë", "../evil", "user", "zed"]);
    await eventually(async () => (await members()).length === 5);
    expect((await members()).slice(3)).toEqual([
      ["zo-", "native", "worker"],
      ["zed", "native", "worker"],
    ]);
  });

  test("are active, idle or terminated according to their rows alone", async () => {
    const team = await startTeamWorld();
    expect(await team.state("nate")).toBe("offline");
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    const idle = { type: "idle_notification", from: "nate", idleReason: "available" };
    team.files.add("team-lead", aRow({ text: JSON.stringify(idle), timestamp: ago(6) }));
    await eventually(async () => (await team.state("nate")) === "idle");
    team.files.add("user", aRow({ from: "nate" }));
    await eventually(async () => (await team.state("nate")) === "active");
    const rejected = { type: "shutdown_response", requestId: "s1", approve: false };
    team.files.add("team-lead", aRow({ text: JSON.stringify(rejected) }));
    team.files.add("team-lead", aRow({ from: "tom", text: JSON.stringify({ ...rejected, approve: true }) }));
    await team.scanned();
    expect(await team.state("nate")).toBe("active");
    expect(await team.state("tom")).not.toBe("terminated");
    team.files.add("team-lead", aRow({ text: JSON.stringify({ ...rejected, approve: true }) }));
    await eventually(async () => (await team.state("nate")) === "terminated");
    // Adding it again brings it back, even after a restart that reads the old row again.
    await team.service.putMember("crew", {
      name: "nate",
      kind: "native",
      lane: null,
      displayName: null,
      role: null,
      color: null,
      contract: null,
    });
    await team.stop();
    await team.start();
    expect(await team.state("nate")).not.toBe("terminated");
  });
});
