/** An inbox of 50 MB in the files of a team, under the running daemon. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import type { Team } from "../../src/client/index.ts";
import { Program } from "../support/daemon/program.ts";
import { aRow, eventually, TeamDirectory } from "../support/teams/team-directory.ts";

const waybill = new Program();
afterEach(() => waybill.dispose());

const largeBytes = 50 * 1024 * 1024;

/** The peak memory of a process, if the system reports it. */
function peakBytes(pid: number): number | null {
  if (process.platform !== "linux") return null;
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}

test("an inbox of 50 MB is not loaded: a notice is shown, all other members are served, and its row arrives once it is fixed", async () => {
  const files = new TeamDirectory(waybill.directory).make(["team-lead", "anna", "tom", "nate"]);
  const answers = { always: [{ steps: [{ say: "Port 8080." }] }] };
  const members = { anna: { lane: "anna" }, tom: { lane: "tom" } };
  waybill.configure({ anna: answers, tom: answers }, { teams: { crew: { directory: files.path, members } } });
  await waybill.up();
  const worker = waybill.daemonFile.workerPid ?? 0;
  const client = waybill.client();
  const sendToNate = async (messageId: string) => {
    const to = { team: "crew", member: "nate" };
    expect(await client.send({ to, text: "Is it green?", messageId })).toMatchObject({
      handOver: { state: "handed_over" },
    });
  };
  // Everything has been loaded and has run once before memory is compared.
  files.put("anna", [aRow({ messageId: "a1", from: "user" })]);
  await eventually(() => files.row("anna", "a1")?.read === true);
  await sendToNate("n1");
  const before = peakBytes(worker);

  const row = aRow({ messageId: "t1", from: "user" });
  const large = JSON.stringify([row, aRow({ read: true, text: "x".repeat(largeBytes) })]);
  const writeLarge = () => {
    writeFileSync(`${files.file("tom")}.other`, large);
    renameSync(`${files.file("tom")}.other`, files.file("tom"));
  };
  writeLarge();
  await eventually(async () => (await waybill.json<Team>("teams", "show", "crew")).notices.some(isTooLarge));
  for (let time = 2; time <= 5; time++) {
    writeLarge();
    expect((await waybill.fetch("/ready")).status).toBe(200);
    files.add("anna", aRow({ messageId: `a${time}`, from: "user" }));
    await sendToNate(`n${time}`);
    await eventually(() => files.row("anna", `a${time}`)?.read === true);
  }
  const { stdout, stderr } = await waybill.run(["teams"]);
  expect(stdout).toContain("tom");
  expect(stderr).toMatch(/crew: tom: .*the limit is 8388608/);
  expect((await waybill.run(["teams", "show", "crew"])).stdout).toMatch(/tom: .*the limit is 8388608/);
  expect(waybill.daemonFile.workerPid).toBe(worker);
  if (before !== null) expect((peakBytes(worker) ?? 0) - before).toBeLessThan(largeBytes);

  rmSync(files.file("tom"));
  files.put("tom", [row]);
  await eventually(() => files.row("tom", "t1")?.read === true);
  expect((await waybill.json<Team>("teams", "show", "crew")).notices.some(isTooLarge)).toBe(false);
  const prompts = waybill.prompts().filter(({ text }) => text.includes("waybill message t1"));
  expect(prompts).toHaveLength(1);
});

function isTooLarge({ code }: { code: string }): boolean {
  return code === "too_large";
}
