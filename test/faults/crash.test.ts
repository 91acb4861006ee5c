import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { failPoints } from "../../src/core/delivery/fail-points.ts";
import { readJournal } from "../../src/runtimes/stub/journal.ts";
import { callsOf, stubCalls, unreadPrompts } from "../support/agents/stub-calls.ts";
import { bundled } from "../support/files/bundled.ts";

const scenario = bundled(fileURLToPath(new URL("scenario.mjs", import.meta.url)));
const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

type Outcome = { reached: string[]; findings: unknown[]; errors: string[]; outcomes: unknown; mail: unknown[] };

/** Events of mailboxes that commit a read in a second step; the store's own mailbox has no such step. */
const secondStep = /read_committed|read_commit_failed/;
const mailboxes = [
  { mailbox: "store", points: failPoints.filter((point) => !secondStep.test(point)) },
  { mailbox: "file", points: failPoints.filter((point) => secondStep.test(point)) },
];

/** Only a few of the many commits of a run. A busy machine makes fewer, because more writes share one. */
const timesOf = (point: string) => (point.startsWith("store.") ? [1, 7, 16, 25] : [1]);

describe.each(mailboxes)("with a $mailbox mailbox", ({ mailbox, points }) => {
  /** Where every run starts. No fail point is in it. */
  const prepared = (async () => {
    const directory = temporary();
    expect(await run(directory, { mailbox, args: ["prepare"] })).toMatchObject({ code: 0 });
    return directory;
  })();
  const start = async () => {
    const directory = temporary();
    cpSync(await prepared, directory, { recursive: true });
    return directory;
  };

  const baseline = (async () => {
    const directory = await start();
    return { directory, result: await finish(directory, mailbox), prompts: promptsIn(directory) };
  })();

  test("an undisturbed run passes these fail points, and ends as expected", async () => {
    const { result, prompts } = await baseline;
    expect(points.filter((point) => !result.reached.includes(point))).toEqual([]);
    expect(result).toMatchObject({ findings: [], errors: [] });
    const once = ["next", "works-on", "timeout", "sent", "unrecorded", "stopped"];
    expect(prompts).toMatchObject(Object.fromEntries(once.map((id) => [id, ["accepted"]])));
  });

  test("every prompt after a lane's first follows a read that shows the previous one at rest", async () => {
    const { directory, prompts } = await baseline;
    const calls = stubCalls(directory);
    expect(calls.filter(({ call }) => call === "submit")).toHaveLength(Object.values(prompts).flat().length);
    expect(unreadPrompts(calls, readJournal(join(directory, "stub.jsonl")))).toEqual([]);
  });

  const kills = points.flatMap((point) => timesOf(point).map((times) => `${point}@${times}`));
  describe.concurrent("killed and started again, it loses nothing and sends no accepted prompt twice", () => {
    test.each(kills)("at %s", async (point) => {
      const directory = await start();
      expect(await run(directory, { mailbox, failPoint: point })).toMatchObject({ signal: "SIGKILL" });
      const { result, prompts } = { result: await finish(directory, mailbox), prompts: promptsIn(directory) };
      const undisturbed = await baseline;
      expect(result.findings).toEqual([]);
      expect(result.outcomes).toEqual(undisturbed.result.outcomes);
      expect(result.mail).toEqual(undisturbed.result.mail);
      expect(prompts).toEqual(undisturbed.prompts);
      expect(unreadPrompts(stubCalls(directory), readJournal(join(directory, "stub.jsonl")))).toEqual([]);
    });
  });
});

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), "waybill-crash-"));
  directories.push(directory);
  return directory;
}

async function finish(directory: string, mailbox: string): Promise<Outcome> {
  const { code, stdout, stderr } = await run(directory, { mailbox });
  if (code !== 0) throw new Error(`the run did not end well: ${stderr}`);
  return JSON.parse(stdout) as Outcome;
}

type RunOptions = { mailbox: string; failPoint?: string; args?: readonly string[] };

async function run(directory: string, { mailbox, failPoint = "", args = [] }: RunOptions) {
  const program = await scenario;
  return new Promise<{ code: number | null; signal: string | null; stdout: string; stderr: string }>((resolve) => {
    const child = spawn(process.execPath, [program, directory, ...args], {
      env: {
        ...process.env,
        ...callsOf(directory),
        WAYBILL_FAIL_POINT: failPoint,
        WAYBILL_TEST_MAILBOX: mailbox,
      },
      // Only for a run that hangs.
      timeout: 120_000,
    });
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

/** From the agent's own journal: how each prompt of each message arrived. */
function promptsIn(directory: string): Record<string, string[]> {
  const prompts: Record<string, string[]> = {};
  for (const entry of readJournal(join(directory, "stub.jsonl"))) {
    if (entry.type !== "prompt") continue;
    // The last one: a fresh session is told about the old one before the message itself.
    const message = [...entry.text.matchAll(/<([\w-]+)>/g)].at(-1)?.[1] ?? "?";
    const stored = entry.arrival === "normal" || entry.arrival === "after_timeout";
    prompts[message] = [...(prompts[message] ?? []), stored ? "accepted" : entry.arrival];
  }
  return prompts;
}
