import { describe, expect, test } from "vitest";
import { isAlive, processTable, rowFromPs, rowFromStat } from "./process-table.ts";

const self = (row: { pid: number }) => row.pid === process.pid;

describe("the process table", () => {
  test("has this process, with its parent and its start time", async () => {
    const row = (await processTable()).find(self);
    expect(row).toMatchObject({ parent: process.ppid });
    expect(isAlive(process.pid, row?.start ?? "")).toBe(true);
  });

  test.runIf(process.platform === "linux")("distinguishes a process from an earlier one with the same id", () => {
    expect(isAlive(process.pid, "another boot:1")).toBe(false);
  });

  test("has a killed process until its last thread has ended, since its ports are open until then", () => {
    const stat = (state: string, threads: number) =>
      `812 (open) code) ${state} 1 812 812 0 -1 4194624 2 0 0 0 1 0 0 0 20 0 ${threads} 0 5551 0 0`;
    const row = { parent: 1, group: 812, start: "5551" };
    expect(rowFromStat(stat("S", 9))).toEqual(row);
    expect(rowFromStat(stat("Z", 2))).toEqual(row);
    expect(rowFromStat(stat("Z", 1))).toBeNull();
    expect(rowFromStat("")).toBeNull();
  });

  test("reads a line of ps, and leaves out ended processes", () => {
    const line = "  812     1   812 Ss   Sun Nov 15 22:54:01 2026 /opt/opencode serve --port 4096";
    expect(rowFromPs(line)).toEqual({
      pid: 812,
      parent: 1,
      group: 812,
      start: "Sun Nov 15 22:54:01 2026",
      nonce: null,
      command: "/opt/opencode serve --port 4096",
    });
    expect(rowFromPs(line.replace("Ss ", "Z  "))).toBeNull();
    expect(rowFromPs("")).toBeNull();
  });
});
