import { describe, expect, test } from "vitest";
import { isAlive, processTable, rowFromPs } from "./process-table.ts";

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
