/**
 * A team's files as other programs wrote them, a Waybill process that works on them and can be killed, and what must be true
 * in the end.
 */
import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect } from "vitest";
import type { FailPoint } from "../../../src/core/delivery/fail-points.ts";
import { inboxFailPoints } from "../../../src/core/delivery/fail-points.ts";
import { rowKey } from "../../../src/core/inbox/row.ts";
import { readJournal } from "../../../src/runtimes/stub/journal.ts";
import { bundled } from "../files/bundled.ts";
import type { Row } from "./team-directory.ts";
import { TeamDirectory } from "./team-directory.ts";

const scenario = bundled(fileURLToPath(new URL("../../faults/inbox-scenario.mjs", import.meta.url)));
const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/** The final output of the process. */
type InboxRun = {
  reached: Record<string, number>;
  errors: string[];
  findings: unknown[];
  /** What the person was asked. */
  asked: string[];
  deliveries: Record<string, { status: string; attempts: number; isRead: boolean; diagnostics: string[] }>;
  handOvers: Record<string, string>;
  mail: unknown[];
  terminated: string[];
};

const [past, future] = ["2026-01-01T00:00:00.000Z", "2126-01-01T00:00:00.000Z"];
const row = (id: string, from: string, more: Row = {}) =>
  JSON.stringify({ from, text: `<${id}>`, timestamp: future, read: false, messageId: id, ...more });
const request = (id: string, data: object) => row(id, "nora", { text: JSON.stringify(data) });
const { messageId: _, ...unnamed } = JSON.parse(row("t5", "nate")) as Row;

/** Rows of other programs, formatted as Waybill never would. */
const foreign: Record<string, readonly string[]> = {
  tom: [
    `{"from":"nate","text":"caf\\u00e9 \\/ tab\\t","timestamp":"${past}","read":true,"messageId":"old","a":[1.0,2e3],"b":1,"b":2}`,
    "7.0",
    '{ "from" : 3,\t"text":null }',
  ],
  nate: [`{"messageId":"f1",   "from":"nora","text":"d\\u00e9j\\u00e0","timestamp":"${past}"}`, "[ 1,2 ]"],
  nora: [`{"from":"nate","text":"x","timestamp":"${past}","messageId":"g1","read" : false}`],
  user: [`{"from":"nate","text":"To the person.","timestamp":"${past}","messageId":"u1","read":false,"z":1E1}`],
};
const later = `{"from":"nora","text":"later","timestamp":"${past}","messageId":"f2",  "read":false}`;

/** The rows in the inboxes that Waybill serves. An old row may come from another Waybill. */
const served: Record<string, readonly string[]> = {
  tom: [
    row("t1", "nate"),
    row("t2", "nora", { timestamp: past }),
    row("t3", "user"),
    row("idle", "nate", { text: JSON.stringify({ type: "idle_notification", from: "nate" }) }),
    row("t4", "nate", { timestamp: past }),
    JSON.stringify(unnamed),
  ],
  ben: [
    ...Array.from({ length: 300 }, (_, n) => row(`done-${n}`, "nate", { read: true, text: "x".repeat(1000) })),
    row("b1", "nate"),
  ],
  rex: [row("x1", "nora")],
  "team-lead": [request("p1", { type: "permission_request", request_id: "p1", tool_name: "Bash" })],
  sid: [request("s1", { type: "shutdown_request", requestId: "s1" })],
};
const inboxes = [...new Set([...Object.keys(foreign), ...Object.keys(served)])].sort();
const keyIn = (value: unknown) => rowKey(value) ?? JSON.stringify(value);
const keyOf = (text: string) => keyIn(JSON.parse(text));

/** The commits that matter to files; the others happen with any message. */
const commits = (["admitted", "attempts_searched", "proven", "read_committed", "read_commit_failed"] as const).flatMap(
  (type): FailPoint[] => [`before_commit.${type}`, `after_commit.${type}`],
);
export const inboxPoints: readonly FailPoint[] = [...inboxFailPoints, ...commits, "store.written", "store.committed"];

export async function undisturbedRun(): Promise<{ world: InboxWorld; result: InboxRun }> {
  const world = new InboxWorld();
  return { world, result: await world.finish() };
}

/** Kills a run at a fail point, and expects the next one to end like an undisturbed one. */
export async function expectWholeAfter(point: string, undisturbed: InboxRun): Promise<void> {
  const world = new InboxWorld();
  const { signal, stdout, stderr } = await world.run(point);
  expect({ signal, stdout, stderr }).toEqual({ signal: "SIGKILL", stdout: "", stderr: "" });
  world.expectForeignRows();
  // A lock is stale only after ten seconds. Some of the runs wait for that.
  if (!point.endsWith("@1")) world.ageLocks();
  const answered = world.responses();
  const result = await world.finish();
  const { reached: _, asked, ...outcome } = result;
  const { reached: __, asked: ___, ...expected } = undisturbed;
  expect(outcome).toEqual(expected);
  expect(asked.filter((id) => answered.includes(id))).toEqual([]);
  world.expectWhole(result);
}

/** The directory of one run, with all its files. */
class InboxWorld {
  readonly directory = mkdtempSync(join(tmpdir(), "waybill-inbox-kills-"));
  readonly files = new TeamDirectory(this.directory);
  readonly #older = join(this.directory, "older.json");

  constructor() {
    directories.push(this.directory);
    this.files.make([...Object.keys(served), "nate", "nora"]);
    for (const inbox of inboxes) {
      const rows = [...(foreign[inbox] ?? []), ...(served[inbox] ?? [])];
      writeFileSync(this.files.file(inbox), `[${rows.join(",\n")}]`);
    }
    chmodSync(this.files.file("rex"), 0o444);
    writeFileSync(this.#older, `[${[...(foreign.nate ?? []), later].join(",")}]`);
  }

  async finish(): Promise<InboxRun> {
    const { code, stdout, stderr } = await this.run();
    if (code !== 0) throw new Error(`the run did not end well: ${stderr}`);
    return JSON.parse(stdout) as InboxRun;
  }

  async run(failPoint = "") {
    const program = await scenario;
    return new Promise<{ code: number | null; signal: string | null; stdout: string; stderr: string }>((resolve) => {
      const env = { ...process.env, WAYBILL_FAIL_POINT: failPoint };
      // Only for a run that hangs.
      const child = spawn(process.execPath, [program, this.directory], { env, timeout: 110_000 });
      let stdout = "";
      let stderr = "";
      child.stdout.on("data", (chunk) => {
        stdout += chunk;
      });
      child.stderr.on("data", (chunk) => {
        stderr += chunk;
      });
      child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
    });
  }

  /** As if their owner had died some time ago. */
  ageLocks(): void {
    const old = new Date(Date.now() - 11_000);
    for (const name of this.#names()) {
      if (name.endsWith(".lock")) utimesSync(join(this.files.path, "inboxes", name), old, old);
    }
  }

  /** The asks with an answer in a file. */
  responses(): string[] {
    const texts = this.files.rows("nora").map(({ text }) => String(text));
    const has = (type: string) => texts.some((text) => text.includes(type));
    return [
      ...(has("permission_response") ? ["inbox:crew:team-lead:p1"] : []),
      ...(has("shutdown_response") ? ["inbox:crew:sid:s1"] : []),
    ];
  }

  /** In each file, in order, and byte for byte. */
  expectForeignRows(): void {
    for (const [inbox, rows] of Object.entries(foreign)) {
      const isOlder = inbox === "nate" && !existsSync(this.#older);
      const text = readFileSync(this.files.file(inbox), "utf8");
      const places = [...rows, ...(isOlder ? [later] : [])].map((one) => text.indexOf(one));
      expect(places).not.toContain(-1);
      expect(places).toEqual(places.toSorted((one, other) => one - other));
    }
  }

  expectWhole({ handOvers }: InboxRun): void {
    this.expectForeignRows();
    expect(this.#names()).toEqual(inboxes.map((inbox) => `${inbox}.json`));
    const written = (inbox: string) => Object.keys(handOvers).filter((id) => handOvers[id]?.startsWith(`${inbox} `));
    const byOthers = (inbox: string) => (foreign[inbox] ?? []).map(keyOf);
    expect(this.#keys("nate").sort()).toEqual([...byOthers("nate"), "f2", ...written("nate")].sort());
    expect(this.#keys("user").sort()).toEqual([...byOthers("user"), ...written("user")].sort());
    const responses = this.#keys("nora").filter((key) => key.startsWith("response-"));
    expect(responses).toHaveLength(2);
    expect(this.#keys("nora").sort()).toEqual([...byOthers("nora"), ...written("nora"), ...responses].sort());
    for (const inbox of ["nate", "nora", "user"]) {
      expect(this.files.rows(inbox).filter(({ read }) => read === true)).toEqual([]);
    }
    for (const inbox of ["tom", "rex", "team-lead", "sid"]) {
      expect(this.#keys(inbox)).toEqual([...byOthers(inbox), ...(served[inbox] ?? []).map(keyOf)]);
      const rows = this.files.rows(inbox).slice(byOthers(inbox).length);
      expect(rows).toEqual(served[inbox]?.map((text) => ({ ...JSON.parse(text), read: true })));
    }
    this.#expectArchive();
    const prompts = readJournal(join(this.directory, "stub.jsonl")).filter((entry) => entry.type === "prompt");
    const about = prompts.map(({ text }) => /<(\w+)>/.exec(text)?.[1]);
    expect(about.sort()).toEqual(["b1", "t1", "t2", "t3", "t4", "t5", "x1"]);
  }

  /** A crash may repeat a row in the archive, but the file no longer has it. */
  #expectArchive(): void {
    const lines = readFileSync(join(this.directory, "inboxes", "archive", "crew-ben.jsonl"), "utf8")
      .trim()
      .split("\n");
    const archived = new Map(lines.map((line) => [keyOf(line), JSON.parse(line)]));
    const all = served.ben?.map((text) => ({ ...JSON.parse(text), read: true }));
    expect([...archived.values(), ...this.files.rows("ben")]).toEqual(all);
  }

  #keys(inbox: string): string[] {
    return this.files.rows(inbox).map(keyIn);
  }

  #names(): string[] {
    return readdirSync(join(this.files.path, "inboxes")).sort();
  }
}
