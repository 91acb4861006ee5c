import { describe, expect, test } from "vitest";
import { startWorld } from "../support/daemon/waybill.ts";
import { aRow, eventually, TeamDirectory, teamsDirectory } from "../support/teams/team-directory.ts";
import { startTeamWorld } from "../support/teams/team-world.ts";

const lead = { runs: ["team-lead"] };

describe("a lead that Waybill runs", () => {
  test("gets its inbox rows one at a time, each once the previous one is answered and read", async () => {
    const script = { always: [{ steps: [{ wait: 100 }, { say: "Port 8080." }] }] };
    const team = await startTeamWorld({ ...lead, script });
    const ids = ["m1", "m2", "m3"];
    const flags: string[] = [];
    team.waybill.store.onLog((items) => {
      for (const item of items) {
        if (item.type !== "delivery" || item.event.type !== "submit") continue;
        const read = ids.filter((id) => team.files.row("team-lead", id)?.read === true);
        flags.push(`${item.record.messageId} after ${read.join(" ")}`);
      }
    });
    team.files.put(
      "team-lead",
      ids.map((messageId) => aRow({ messageId })),
    );
    await team.isRead("team-lead", "m3");
    expect(flags).toEqual(["m1 after ", "m2 after m1", "m3 after m1 m2"]);
    expect(team.prompts()).toHaveLength(3);
  });

  test("answers the owner and a native member, each also in their own inbox file", async () => {
    const team = await startTeamWorld({ ...lead, script: { always: [{ steps: [{ say: "Port 8080." }] }] } });
    team.files.put("team-lead", [aRow({ messageId: "m1", from: "user" }), aRow({ messageId: "m2", from: "nate" })]);
    await team.isRead("team-lead", "m2");
    await eventually(() => team.files.rows("user").length === 1 && team.files.rows("nate").length === 1);
    const answer = { from: "team-lead", text: "Port 8080.", read: false };
    expect(team.files.rows("user")).toMatchObject([{ ...answer, relayOfMessageId: "m1" }]);
    expect(team.files.rows("nate")).toMatchObject([{ ...answer, relayOfMessageId: "m2" }]);
    expect(await team.mail()).toEqual([{ from: "team-lead", text: "Port 8080.", relayOf: "m1" }]);
    // A copy of a known message is not shown again, even after a restart.
    await team.stop();
    await team.start();
    await team.scanned();
    expect(await team.mail()).toHaveLength(1);
  });

  test("is never asked to pass on messages for a native teammate", async () => {
    const team = await startTeamWorld({ ...lead, script: { always: [{ steps: [{ say: "I answer instead." }] }] } });
    await team.service.send({ id: "m1", to: { team: "crew", member: "nate" }, from: "user", text: "For nate alone." });
    await eventually(() => team.files.row("nate", "m1") !== undefined);
    team.files.put(
      "nate",
      team.files.rows("nate").map((row) => ({ ...row, read: true })),
    );
    await eventually(async () => (await team.handOver("m1"))?.state === "taken");
    expect(team.prompts()).toEqual([]);
    expect(team.files.rows("team-lead")).toEqual([]);
  });
});

describe("a lead that is busy for a quarter of an hour", () => {
  test("gets nothing twice, and gets later messages once it has answered", async () => {
    const minute = [{ wait: 60_000 }, { think: "Still at it." }];
    const works = [...Array.from({ length: 20 }, () => minute).flat(), { say: "All 40 tests pass." }];
    const script = { turns: [{ steps: works }], always: [{ steps: [{ say: "Port 8080." }] }] };
    // Uses a manual clock, because it covers many minutes.
    const world = await startWorld({ script, lanes: [{ id: "lead" }] });
    const files = new TeamDirectory(teamsDirectory()).make();
    const { store, teamFiles } = world.waybill;
    await store.putTeam({ name: "crew", displayName: null, createdAt: 1 });
    const shown = { displayName: null, role: "lead", color: null, createdAt: 1 };
    await store.putMember({ team: "crew", name: "team-lead", kind: "lane", lane: "lead", ...shown });
    await store.putTeam({ name: "crew", displayName: null, createdAt: 1, directory: files.path });
    const minutes = async (count: number) => {
      for (let minute = 0; minute < count; minute++) {
        await teamFiles.settled("crew");
        await world.clock.advance(60_000);
      }
    };
    files.put("team-lead", [aRow({ messageId: "m1" })]);
    await minutes(2);
    files.add("team-lead", aRow({ messageId: "m2" }));
    await minutes(15);
    expect(world.prompts()).toHaveLength(1);
    expect(files.rows("team-lead").map(({ read }) => read)).toEqual([false, false]);
    await minutes(4);
    await eventually(async () => {
      await minutes(1);
      return files.rows("team-lead").every(({ read }) => read === true);
    });
    expect(world.prompts("m1")).toHaveLength(1);
    expect(world.prompts("m2")).toHaveLength(1);
  });
});

describe("a lead without a lane", () => {
  test("is reported; messages to it stay unread, and are delivered once a lane serves it", async () => {
    const team = await startTeamWorld({ script: { always: [{ steps: [{ say: "Port 8080." }] }] } });
    const codes = async () => (await team.service.team("crew")).notices.map(({ code }) => code);
    expect(await codes()).toEqual(["lead_not_served"]);
    const to = { team: "crew", member: "team-lead" };
    const { handOver, waits } = await team.service.send({ id: "m1", to, from: "user", text: "Which port?" });
    expect(handOver).toMatchObject({ state: "waiting", reason: "lead_not_served" });
    expect(waits).toContain("lead_not_served");
    team.files.add("team-lead", aRow({ messageId: "m2", from: "nate" }));
    await team.scanned();
    expect(team.files.rows("team-lead").map(({ read }) => read)).toEqual([false, false]);
    expect(team.prompts()).toEqual([]);
    await team.import(["tom"]);
    const settings = { displayName: null, role: "lead", color: null, contract: null };
    await team.service.removeMember("crew", "tom");
    await team.service.putMember("crew", { name: "team-lead", kind: "lane", lane: "tom", ...settings });
    await team.isRead("team-lead", "m1");
    await team.isRead("team-lead", "m2");
    expect(await codes()).toEqual([]);
    expect(team.prompts()).toHaveLength(2);
  });

  test("gets each row once: a removed row was taken or lost, and its sender is warned", async () => {
    const team = await startTeamWorld();
    const to = { team: "crew", member: "team-lead" };
    await team.service.send({ id: "m1", to, from: "user", text: "Which port?" });
    await team.scanned();
    expect(team.files.rows("team-lead")).toHaveLength(1);
    team.files.put("team-lead", []);
    await eventually(async () => (await team.handOver("m1", "team-lead"))?.state === "gone");
    await team.scanned();
    expect(team.files.rows("team-lead")).toEqual([]);
    expect((await team.mail()).map(({ from, relayOf }) => [from, relayOf])).toEqual([["waybill", "m1"]]);
  });

  test("gets a row again that an older file removed", async () => {
    const team = await startTeamWorld();
    const older = [aRow({ messageId: "older" })];
    team.files.put("team-lead", older);
    const to = { team: "crew", member: "team-lead" };
    await team.service.send({ id: "m1", to, from: "user", text: "Which port?" });
    team.files.put("team-lead", older);
    await eventually(() => team.files.row("team-lead", "m1") !== undefined);
    await eventually(async () => (await team.handOver("m1", "team-lead"))?.writes === 2);
    expect(await team.handOver("m1", "team-lead")).toMatchObject({ state: "waiting", reason: "lead_not_served" });
  });
});
