import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { nonceVariable } from "./agent-environment.ts";
import type { ProcessRow } from "./process-table.ts";
import { endProcessTree, processTreeOf, treeLeader } from "./process-tree.ts";

const row = (pid: number, rest: Partial<ProcessRow> = {}): ProcessRow => ({
  pid,
  parent: 1,
  group: pid,
  start: `boot:${pid}`,
  nonce: null,
  command: "",
  ...rest,
});
const server = { nonce: "ours", pid: 50, processStart: "boot:50" };
const pids = (rows: readonly ProcessRow[]) => rows.map((one) => one.pid).sort((a, b) => a - b);

describe("the process of a server", () => {
  test("is the recorded one, by its nonce or its start time", () => {
    expect(treeLeader(server, [row(50, { nonce: "ours", start: "other" })])?.pid).toBe(50);
    expect(treeLeader(server, [row(50)])?.pid).toBe(50);
  });

  test("is not another one with the same id", () => {
    expect(treeLeader(server, [row(50, { start: "boot:9000" })])).toBeNull();
    expect(treeLeader(server, [row(50, { start: "boot:9000", nonce: "of a later start" })])).toBeNull();
  });

  test("is the oldest one with its nonce if its id was not recorded", () => {
    const table = [row(7, { nonce: "ours", start: "boot:300" }), row(60, { nonce: "ours", start: "boot:200" }), row(8)];
    expect(treeLeader({ nonce: "ours", pid: null, processStart: null }, table)?.pid).toBe(60);
    expect(treeLeader({ nonce: "ours", pid: null, processStart: null }, [row(8)])).toBeNull();
  });
});

describe("the process tree of a server", () => {
  test("is its group, everything it started, and every process with its nonce", () => {
    const table = [
      row(1, { parent: 0 }),
      row(50),
      row(51, { group: 50 }),
      row(60, { parent: 50 }),
      row(61, { parent: 60, group: 60 }),
      row(70, { nonce: "ours" }),
      row(80, { nonce: "of another" }),
      row(90),
    ];
    expect(pids(processTreeOf(server, table, 90))).toEqual([50, 51, 60, 61, 70]);
  });

  test("is empty if an unrelated process has its id", () => {
    const table = [row(50, { start: "boot:9000" }), row(51, { group: 50 }), row(60, { parent: 50 })];
    expect(processTreeOf(server, table, 90)).toEqual([]);
  });

  test("never includes this process or its ancestors, even in one of that server's shells", () => {
    const table = [row(50), row(60, { parent: 50, nonce: "ours" }), row(61, { parent: 60, nonce: "ours" })];
    expect(pids(processTreeOf(server, table, 61))).toEqual([]);
    expect(pids(processTreeOf(server, [...table, row(62, { parent: 60, nonce: "ours" })], 61))).toEqual([62]);
  });
});

test("a process that was killed is waited for, however little time it had to end on its own", async () => {
  const script = "trap '' TERM; echo ready; sleep 600 & wait";
  const env = { ...process.env, [nonceVariable]: "to end" };
  const child = spawn("sh", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "ignore"], env });
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  await endProcessTree({ nonce: "to end", pid: child.pid ?? 0, processStart: null }, 0);
  expect(await exited).toEqual([null, "SIGKILL"]);
});
