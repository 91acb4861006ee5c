/** Command lines that reach no daemon: the program says what is wrong and what to do. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadCommands } from "../../src/cli/commands.ts";
import { runInProcess } from "../support/daemon/in-process-cli.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "waybill-command-line-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const waybill = (args: string[], { env = {} }: { env?: Record<string, string> } = {}) =>
  runInProcess(args, { HOME: home, WAYBILL_HOME: home, NO_COLOR: "1", ...env });

const commands = (await loadCommands()).filter(({ hidden }) => !hidden);
/** Commands that need no daemon, `attach`, which also needs OpenCode, and `mcp`, which needs a member's token. */
const others = ["up", "init", "doctor", "demo", "attach", "mcp", "store", "completion"];
const clientCommands = commands.filter(({ name }) => !others.includes(name));

/** For each command, a call that would reach the daemon. */
const calls: string[][] = [
  ["send", "--lane", "chat", "hello"],
  ["watch"],
  ["follow", "chat"],
  ["lanes"],
  ["lanes", "pause", "chat"],
  ["teams"],
  ["inbox"],
  ["messages"],
  ["deliveries"],
  ["show", "m1"],
  ["why", "m1"],
  ["retry", "m1"],
  ["cancel", "m1"],
  ["withdraw", "m1"],
  ["asks"],
  ["answer", "a1", "once"],
  ["holds"],
  ["open"],
  ["restart"],
];

describe("without a daemon", () => {
  test("every command that needs one is called here", () => {
    expect([...new Set(calls.map(([name]) => name))]).toEqual(clientCommands.map(({ name }) => name));
  });

  test.each(calls.map((call) => [call.join(" "), call] as const))("%s: says so, with exit code 5", async (_, call) => {
    const { code, stdout, stderr } = await waybill(call);
    expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
    expect(stderr).toMatch(/^waybill: No daemon is running/);
    expect(stderr).toMatch(/`waybill up`/);
    expect(stderr.trimEnd().split("\n")).toHaveLength(2);
  });

  test("--json makes it one line of JSON on standard error", async () => {
    const { code, stdout, stderr } = await waybill(["lanes", "--json"]);
    expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(JSON.parse(stderr)).toEqual({
      error: { code: "no_daemon", message: expect.any(String), hint: expect.stringContaining("waybill up") },
    });
  });

  test("a named daemon that does not answer counts as no daemon, and the token is not shown", async () => {
    const env = { WAYBILL_URL: "http://127.0.0.1:9", WAYBILL_TOKEN: "very-secret" };
    const { code, stderr } = await waybill(["lanes"], { env });
    expect(code).toBe(5);
    expect(stderr).toMatch(/No daemon answers at http:\/\/127\.0\.0\.1:9/);
    expect(stderr).not.toContain("very-secret");
  });
});

describe("an invalid command line", () => {
  test.each([
    [["fly"], /unknown command "fly"/],
    [["constructor"], /unknown command "constructor"/],
    [["up", "--loud"], /Unknown option '--loud'/],
    [["store"], /backup, restore or check/],
    [["store", "burn"], /unknown subcommand: store burn/],
    [["store", "backup"], /needs a file name/],
    [["store", "check", "a", "b"], /too many arguments/],
    [["up", "now"], /too many arguments/],
  ])("%j: exit code 2, what is wrong, what to do, and no stack trace", async (args, words) => {
    const { code, stdout, stderr } = await waybill(args);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(words);
    expect(stderr).toMatch(/--help/);
    expect(stderr).not.toMatch(/\n {4}at /);
  });

  test.each([
    [["sned"], /Did you mean `waybill send`\?/],
    [["delivery"], /Did you mean `waybill deliveries`\?/],
    [["send", "--lnae", "chat", "x"], /Unknown option '--lnae'[\s\S]*Did you mean `--lane`\?/],
    [["send", "x"], /the recipient is missing/],
    [["send", "--lane", "chat"], /the text is empty/],
    [["send", "--lane", "chat", "--mode", "notfy", "x"], /Did you mean `notify`\?/],
    [["lanes", "pasue", "chat"], /Did you mean `pause`\?/],
    [["lanes", "pause"], /needs the id of a lane/],
    [["deliveries", "--status", "respnded"], /Did you mean `responded`\?/],
    [["deliveries", "--limit", "1000"], /1 to 200/],
    [["deliveries", "--open", "--status", "pending"], /either --open or --status/],
    [["show"], /the id of a delivery or a message is missing/],
    [["why"], /the id of a message or a delivery is missing/],
    [["answer", "a1"], /once, always, reject/],
    [["restart", "--timeout", "soon"], /--timeout must be/],
    [["completion"], /the shell is missing/],
    [["completion", "bsah"], /Did you mean `bash`\?/],
    [["asks", "now"], /too many arguments/],
  ])("%j: exit code 2, what is wrong, and where to read more", async (args, words) => {
    // With a running daemon: the error is found before any request.
    const daemon = { supervisorPid: process.pid, url: "http://127.0.0.1:9" };
    writeFileSync(join(home, "daemon.json"), JSON.stringify(daemon));
    writeFileSync(join(home, "token"), "secret");
    const { code, stdout, stderr } = await waybill(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(words);
    expect(stderr).toMatch(/--help/);
    expect(stderr).not.toMatch(/\n {4}at /);
  });
});

test.each([
  [{ FORCE_COLOR: "1", NO_COLOR: "" }, true],
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, false],
  [{ FORCE_COLOR: "", NO_COLOR: "" }, false],
])("colours: %j → %s", async (env, coloured) => {
  const { stderr } = await waybill(["fly"], { env });
  expect(stderr.includes("\u001b[")).toBe(coloured);
});
