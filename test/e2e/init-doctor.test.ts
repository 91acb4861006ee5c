import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { writeDaemonFile } from "../../src/daemon/supervisor/daemon-file.ts";
import type { Check } from "../../src/platform/doctor-check.ts";
import { programVersion } from "../../src/platform/program.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";

const program = fileURLToPath(new URL("../../bin/waybill", import.meta.url));
let root: string;
let project: string;
let config: string;
let state: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "waybill-init-")));
  project = join(root, "my-project");
  mkdirSync(project);
  config = join(root, ".config", "waybill", "config.json");
  state = join(root, ".local", "state", "waybill");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

type Result = { code: number | null; stdout: string; stderr: string };

/** In a separate home, with nothing installed in PATH. */
function waybill(args: string[], env: Record<string, string> = {}): Promise<Result> {
  return new Promise((resolve) => {
    const clean = { HOME: root, PATH: join(root, "bin"), NO_COLOR: "1", PORT: "", ...env };
    const child = spawn(process.execPath, [program, ...args], {
      env: clean,
      cwd: project,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

function install(name: string, script: string): string {
  mkdirSync(join(root, "bin"), { recursive: true });
  const path = join(root, "bin", name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** A killed process stays in the process table until its exit code is read; that does not count as running. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

async function checksOf(
  env: Record<string, string> = {},
): Promise<{ code: number | null; checks: Map<string, Check> }> {
  const { code, stdout, stderr } = await waybill(["doctor", "--json"], { PORT: "0", ...env });
  expect(stderr).toBe("");
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  for (const { status, fix } of checks) expect(fix === undefined).toBe(status === "ok");
  return { code, checks: new Map(checks.map((check) => [check.name, check])) };
}

describe("waybill init", () => {
  test("without a terminal it uses the defaults, writes a private file, and prints the next step", async () => {
    const { code, stdout } = await waybill(["init"]);
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Wrote .*\nNext: waybill up .* waybill doctor/),
    });
    expect(JSON.parse(readFileSync(config, "utf8"))).toEqual({
      port: 7717,
      modelProvider: "opencode_cli",
      lanes: [{ id: "my-project", directory: project }],
    });
    expect(statSync(config).mode & 0o777).toBe(0o600);
    expect(statSync(join(root, ".config")).mode & 0o777).toBe(0o700);
    expect((await checksOf()).code).toBe(0);
  });

  test("follows its options, and defaults to an agent that is logged in", async () => {
    install("claude", "echo 2.0.0");
    const file = join(root, "elsewhere", "w.json");
    const args = ["init", "--json", "--lane", "api", "--port", "8123", "--config", file];
    const { code, stdout } = await waybill(args, { CLAUDE_CODE_OAUTH_TOKEN: "token" });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      config: file,
      runtime: "claude",
      directory: project,
      lane: "api",
      port: 8123,
    });
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ port: 8123, modelProvider: "claude_code" });
    expect(existsSync(config)).toBe(false);
  });

  test("never replaces a configuration without --force", async () => {
    mkdirSync(join(config, ".."), { recursive: true });
    writeFileSync(config, "{}");
    const refused = await waybill(["init", "--yes"]);
    expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(/already.*\n.*--force/) });
    expect(readFileSync(config, "utf8")).toBe("{}");
    expect((await waybill(["init", "--yes", "--force"])).code).toBe(0);
    expect(JSON.parse(readFileSync(config, "utf8"))).toMatchObject({ port: 7717 });
  });

  test("naming a directory outside the home allows it", async () => {
    const outside = realpathSync(mkdtempSync(join(tmpdir(), "waybill-outside-")));
    onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
    expect((await waybill(["init", "--directory", outside, "--lane", "out"])).code).toBe(0);
    expect(JSON.parse(readFileSync(config, "utf8"))).toMatchObject({ allowedDirectories: ["~", outside] });
    expect((await checksOf()).checks.get("directory of lane out")?.status).toBe("ok");
  });

  test.each([
    [["--port", "http"], 2, /"http" is invalid/],
    [["--lane", "My Lane"], 2, /"My Lane" is invalid/],
    [["--runtime", "gpt"], 2, /unknown agent program "gpt"/],
    [["now"], 2, /too many arguments/],
    [["--directory", "nowhere"], 1, /my-project\/nowhere does not exist/],
    [["--config", "/dev/null/w.json"], 1, /Could not write/],
  ])("%j is refused, and nothing is left behind", async (args, exit, words) => {
    const { code, stdout, stderr } = await waybill(["init", ...args]);
    expect({ code, stdout }).toEqual({ code: exit, stdout: "" });
    expect(stderr).toMatch(words);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(existsSync(join(root, ".config"))).toBe(false);
  });
});

describe("waybill doctor", () => {
  const write = (content: unknown) => {
    mkdirSync(join(config, ".."), { recursive: true });
    writeFileSync(config, JSON.stringify(content), { mode: 0o600 });
  };

  test("on a fresh machine nothing fails, and it mentions the demo", async () => {
    const { code, stdout, stderr } = await waybill(["doctor"], { PORT: "0" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /warning +config +There is no configuration, so the demo profile runs\.\n.*→ Run `waybill init`/,
    );
    expect(stdout).toMatch(/Nothing failed\. Warnings: 1\.\n$/);
    expect(existsSync(state)).toBe(false);
  });

  test("an invalid configuration fails, with the key and a suggestion", async () => {
    write({ prot: 1 });
    const { code, checks } = await checksOf();
    expect(code).toBe(1);
    expect(checks.get("config")).toMatchObject({
      status: "failed",
      detail: expect.stringMatching(/prot is an unknown key/),
      fix: expect.stringMatching(/"port"/),
    });
  });

  test("finds problems with lanes, token, state directory and store", async () => {
    write({ modelProvider: "stub", lanes: [{ id: "gone", directory: "~/gone" }] });
    mkdirSync(state, { recursive: true });
    chmodSync(state, 0o755);
    writeFileSync(join(state, "token"), "t", { mode: 0o644 });
    writeFileSync(join(state, "waybill.db"), "this is no database, and never was one".repeat(50));
    const { code, checks } = await checksOf();
    expect(code).toBe(1);
    const found = ["directory of lane gone", "token", "state directory", "store"].map(
      (name) => checks.get(name)?.status,
    );
    expect(found).toEqual(["failed", "failed", "warning", "failed"]);
  });

  test("finds each agent program and its version", async () => {
    const lane = { directory: "~/my-project" };
    write({
      opencodeBin: "~/bin/oc",
      piBin: "~/bin/none",
      lanes: [
        { id: "a", ...lane, runtime: "opencode" },
        { id: "b", ...lane, runtime: "claude" },
        { id: "c", ...lane, runtime: "pi" },
      ],
    });
    const path = install("oc", 'echo "1.18.40 $WAYBILL_HUSH"');
    install("claude", "exit 3");
    const { code, checks } = await checksOf({ WAYBILL_HUSH: "1:hush" });
    expect(code).toBe(1);
    expect(checks.get("program opencode")).toMatchObject({ status: "ok", detail: `${path}, version 1.18.40.` });
    expect(checks.get("server opencode")).toMatchObject({
      status: "ok",
      detail: expect.stringContaining("starts its own server"),
    });
    expect(checks.get("program claude")).toMatchObject({
      status: "failed",
      detail: expect.stringMatching(/exit code 3/),
    });
    expect(checks.get("program pi")).toMatchObject({
      status: "failed",
      detail: expect.stringMatching(/none was not found/),
    });
    expect(checks.get("model pi")?.status).toBe("warning");
  });

  test("an OpenCode that is too old or missing fails as in the runtime", async () => {
    const lanes = [{ id: "a", directory: "~/my-project", runtime: "opencode" }];
    install("oc", "echo 1.18.14");
    write({ opencodeBin: "~/bin/oc", lanes });
    const old = await checksOf();
    expect(old.code).toBe(1);
    expect(old.checks.get("server opencode")).toMatchObject({
      status: "failed",
      detail: expect.stringContaining("OpenCode 1.18.14; Waybill needs 1.18.15"),
      fix: expect.stringContaining("opencode upgrade"),
    });
    write({ opencodeBin: "~/bin/none", lanes });
    expect((await checksOf()).checks.get("program opencode")).toMatchObject({
      status: "failed",
      fix: expect.stringContaining("OPENCODE_BIN"),
    });
  });

  test.each([
    ["never answers", "exec sleep 600", /no answer within 60 s/],
    ["waits for a child that never ends", "sleep 600 & echo $! > child; wait", /no answer within 60 s/],
    ["leaves a child behind", "sleep 600 & echo $! > child", /printed nothing/],
    ["prints nothing", "exit 0", /printed nothing/],
    ["is killed", "kill -9 $$", /killed by SIGKILL/],
  ])("a program that %s does not block the check, and leaves no process", async (_, script, why) => {
    const path = install("agent", script.replace("child", join(root, "child")));
    const limits = { deadlineMs: 60_000, signal: new AbortController().signal };
    // Only the deadline: it passes once the child has started, however long that takes.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const asked = programVersion(path, process.env, limits);
    const child = () => (existsSync(join(root, "child")) ? Number(readFileSync(join(root, "child"), "utf8")) : 0);
    if (script.includes("child")) await expect.poll(child).toBeGreaterThan(0);
    if (why.source.startsWith("no answer")) vi.advanceTimersByTime(limits.deadlineMs);
    expect(await asked).toEqual({ ok: false, why: expect.stringMatching(why) });
    if (script.includes("child")) await expect.poll(() => isRunning(child())).toBe(false);
  });

  test("works while the store is in use, and names the process", async () => {
    write({ modelProvider: "stub", lanes: [{ id: "a", directory: "~/my-project" }] });
    mkdirSync(state, { recursive: true, mode: 0o700 });
    const store = openSqliteStore({ path: join(state, "waybill.db") });
    const { code, checks } = await checksOf().finally(() => store.close());
    expect(code).toBe(0);
    expect(checks.get("store")?.detail).toContain(`in use by process ${process.pid}`);
  });

  test("a port is free, used by this daemon, or used by another program", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const taken = await checksOf({ PORT: String(port) });
    expect(taken.checks.get("port")).toMatchObject({
      status: "failed",
      detail: expect.stringMatching(/another program/),
    });
    mkdirSync(state, { recursive: true, mode: 0o700 });
    const url = `http://127.0.0.1:${port}`;
    const pids = { supervisorPid: process.pid, workerPid: null };
    writeDaemonFile(state, { ...pids, url, port, opencodeApiUrl: null, runId: "run", startedAt: 0, version: "0.0.0" });
    const ours = await checksOf({ PORT: String(port) });
    expect(ours.checks.get("port")).toMatchObject({
      status: "ok",
      detail: expect.stringContaining(`process ${process.pid}`),
    });
  });
});
