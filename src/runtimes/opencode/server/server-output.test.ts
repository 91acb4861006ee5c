import { closeSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openOutput, outputIn, shrinkOutput } from "./server-output.ts";

let directory: string;
let output: number;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "waybill-output-"));
  output = openOutput(directory);
});
afterEach(() => {
  closeSync(output);
  rmSync(directory, { recursive: true, force: true });
});

const now = () => readFileSync(outputIn(directory), "utf8");
const earlier = () => readFileSync(join(directory, "output.old.log"), "utf8");

describe("the output of a server", () => {
  test("is kept when another server starts, readable only by its owner", () => {
    writeSync(output, "the first\n");
    closeSync(output);
    output = openOutput(directory);
    writeSync(output, "the second\n");
    expect([now(), earlier()]).toEqual(["the second\n", "the first\n"]);
    for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  });

  test("is moved to another file when it gets large, and the server continues at the beginning", () => {
    writeSync(output, "0123456789\n");
    shrinkOutput(directory, 11);
    expect(now()).toBe("0123456789\n");
    shrinkOutput(directory, 10);
    writeSync(output, "more\n");
    expect([now(), earlier()]).toEqual(["more\n", "0123456789\n"]);
  });
});
