/** A store that cannot be trusted is reported to senders, to monitoring, and at the next start. */
import { chmodSync, linkSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Program } from "../support/daemon/program.ts";
import { asOrdinaryUser } from "../support/files/ordinary-user.ts";

const answers = { always: [{ steps: [{ say: "Yes: 412." }] }] };
let programs: Program[];
let waybill: Program;
beforeEach(() => {
  programs = [];
  waybill = program();
});
afterEach(async () => {
  for (const one of programs) await one.dispose();
});

function program(settings: Record<string, unknown> = {}): Program {
  const made = new Program();
  programs.push(made);
  made.configure({ lane: answers }, settings);
  return made;
}

const inHome = (name: string) => join(waybill.home, name);
const send = (id: string) =>
  waybill.client().sendAndWait({ to: { lane: "lane" }, text: "Is it green?", messageId: id });

/** The status, and the error code if there is one. */
async function post(id: string): Promise<[number, string | null]> {
  const body = JSON.stringify({ to: { lane: "lane" }, text: "Is it green?", messageId: id });
  const headers = { "Content-Type": "application/json" };
  const answer = await waybill.fetch("/v1/messages", { method: "POST", body, headers });
  const { error } = (await answer.json()) as { error?: { code: string } };
  return [answer.status, error?.code ?? null];
}

async function ready(): Promise<[number, string[]]> {
  const answer = await fetch(`${waybill.daemonFile.url}/ready`);
  return [answer.status, ((await answer.json()) as { reasons: string[] }).reasons];
}

/** Refused with one clear error: no stack trace and no restart. */
async function expectRefusedStart(within: readonly string[], words: RegExp): Promise<void> {
  const { code, stderr } = await waybill.run(["up"], { within });
  expect(code).toBe(1);
  expect(stderr).toMatch(words);
  expect(stderr.trim().split("\n")).toHaveLength(2);
}

/** An answered message, and a daemon that was stopped gracefully. */
async function answeredAndStopped(): Promise<void> {
  const daemon = await waybill.up();
  await send("m1");
  await daemon.end();
}

describe("a store's file that is removed under the running daemon", () => {
  const taken: [string, () => void][] = [
    ["deleted", () => rmSync(inHome("waybill.db"))],
    ["deleted with all its files", () => rmStore()],
    ["replaced", () => renameSync(inHome("other.db"), inHome("waybill.db"))],
  ];
  const rmStore = () => {
    const names = ["waybill.db", "waybill.db-wal", "waybill.db-shm", "waybill.db.lock"];
    // The daemon notices the first, and may remove the others itself.
    for (const name of names) rmSync(inHome(name), { force: true });
  };

  test.each(taken)(
    "%s: it is red, refuses messages, logs a fatal error, and has saved every message",
    async (_, take) => {
      const daemon = await waybill.up();
      for (const id of ["m1", "m2", "m3"]) await send(id);
      new Database(inHome("other.db")).exec("CREATE TABLE other (id)").close();
      take();
      // There was no request in between: the watch on the directory noticed it.
      const { to } = await daemon.waitForLine({ event: "store_rescued" });
      expect(daemon.lines.filter(({ level }) => level === 60)).toMatchObject([{ event: "store_replaced" }]);
      expect(await post("m4")).toEqual([503, "store_replaced"]);
      expect(await ready()).toEqual([503, expect.arrayContaining(["store_replaced"])]);
      await daemon.end();

      const restored = await waybill.run(["store", "restore", String(to)]);
      expect(restored).toMatchObject({ code: 0 });
      await waybill.up();
      const { messages } = await waybill.json<{ messages: { id: string }[] }>("messages");
      expect(messages.map(({ id }) => id)).toEqual(expect.arrayContaining(["m1", "m2", "m3"]));
      expect(await post("m4")).toEqual([202, null]);
    },
  );

  test("is still reported by the next start and by the doctor", async () => {
    const daemon = await waybill.up();
    await send("m1");
    rmSync(inHome("waybill.db"));
    await daemon.waitForLine({ event: "store_rescued" });
    await daemon.end();
    await expectRefusedStart([], /does not exist any more\. Its content was saved as .*\.rescued-/);
    const doctor = await waybill.run(["doctor"]);
    expect(doctor).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/failed +store +.* does not exist any more/),
    });
    expect(readdirSync(waybill.home)).not.toContain("waybill.db");
  });
});

describe("two daemons on one store", () => {
  test.each([
    ["a symbolic link", symlinkSync, /is in use by process \d+/],
    ["a hard link", linkSync, /has a second name \(a hard link\)/],
  ] as const)("through %s: the second is refused, and nothing is sent twice", async (_, link, words) => {
    await waybill.up();
    await send("m1");
    const path = join(waybill.directory, "linked.db");
    link(inHome("waybill.db"), path);
    const second = program({ sqlitePath: path });
    const { code, stderr } = await second.run(["up"]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
    expect(second.prompts()).toEqual([]);
    expect((await send("m2")).status).toBe("responded");
    expect(waybill.prompts()).toHaveLength(2);
  });
});

describe("damage", () => {
  const change = (sql: string) => {
    const db = new Database(inHome("waybill.db"));
    db.unsafeMode();
    db.exec(sql).close();
  };

  test("that came after a stop is found by the start and by the doctor, with a fix", async () => {
    await answeredAndStopped();
    const damaged = "DELETE FROM sqlite_schema WHERE name = 'message_of_lane'";
    change(`PRAGMA writable_schema = ON; ${damaged}`);
    await expectRefusedStart([], /is damaged: .*\n.*waybill store restore BACKUP/);
    const doctor = await waybill.run(["doctor"]);
    expect(doctor).toMatchObject({ code: 1, stdout: expect.stringMatching(/failed +store +.* is damaged/) });
    expect(doctor.stdout).toContain("waybill store restore BACKUP");
  });

  test("in closed deliveries is found in the background, and makes it red", async () => {
    await answeredAndStopped();
    change("UPDATE delivery SET record = json_set(record, '$.lastReason', 'made up')");
    const daemon = await waybill.up();
    const line = await daemon.waitForLine({ event: "store_corrupt" });
    expect(line).toMatchObject({ level: 60, msg: expect.stringContaining("differs from its audit") });
    expect(await post("m2")).toEqual([503, "store_corrupt"]);
    expect(await ready()).toEqual([503, expect.arrayContaining(["store_corrupt"])]);
  });
});

describe("a file without write permission", () => {
  test("the store: one clear error at the start and in the doctor, and it works again with permission", async () => {
    await answeredAndStopped();
    chmodSync(inHome("waybill.db"), 0o400);
    await expectRefusedStart(
      asOrdinaryUser,
      /waybill\.db cannot be read and written by this user \(EACCES\)\.\nRun `chmod/,
    );
    const doctor = await waybill.run(["doctor"], { within: asOrdinaryUser });
    expect(doctor).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/failed +store +.*cannot be read and written/),
    });
    chmodSync(inHome("waybill.db"), 0o600);
    await waybill.up({}, asOrdinaryUser);
    expect((await send("m2")).status).toBe("responded");
  });

  test("a read-only home: one clear error at the start and in the doctor", async () => {
    await answeredAndStopped();
    chmodSync(waybill.home, 0o500);
    try {
      await expectRefusedStart(asOrdinaryUser, /cannot be used: .*\n.*writ/);
      const doctor = await waybill.run(["doctor"], { within: asOrdinaryUser });
      expect(doctor).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/failed +state directory +.*cannot be written/),
      });
    } finally {
      chmodSync(waybill.home, 0o700);
    }
  });

  test("any other file in the home: one clear error at the start", async () => {
    await answeredAndStopped();
    chmodSync(inHome("stub.jsonl"), 0o400);
    await expectRefusedStart(asOrdinaryUser, /stub\.jsonl cannot be used \(EACCES\)/);
  });
});
