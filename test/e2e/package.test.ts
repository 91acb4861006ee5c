/** The package as npm publishes it, in an empty project that has only what the package asks for. */
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readDaemonFile } from "../../src/daemon/supervisor/daemon-file.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const project = mkdtempSync(join(tmpdir(), "waybill-package-"));
const home = join(project, "state");
const env = {
  PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
  HOME: project,
  WAYBILL_HOME: home,
  NO_COLOR: "1",
  NPM_CONFIG_UPDATE_NOTIFIER: "false",
  PORT: "0",
};

/** Asynchronous: Vitest gives up on a worker that is silent for a minute. */
const run = promisify(execFile);

/**
 * Does what `npm install` of the tarball does, without a network: its dependencies are copied, and not linked, since a link
 * would lead to what is installed for development. `--ignore-scripts`: the tests have built it, and use what is built.
 */
beforeAll(async () => {
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", project];
  const [{ filename }] = JSON.parse((await run("npm", pack, { cwd: root })).stdout) as [{ filename: string }];
  const modules = join(project, "node_modules");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  await run("tar", ["-xzf", join(project, filename), "-C", modules]);
  renameSync(join(modules, "package"), join(modules, "waybill"));
  const { stdout: listed } = await run("npm", ["ls", "--omit=dev", "--all", "--parseable"], { cwd: root });
  for (const path of listed.trim().split("\n").slice(1)) {
    const place = relative(join(root, "node_modules"), path);
    // What is nested comes along with the package that it is nested in.
    if (!place.includes("node_modules/")) await cp(path, join(modules, place), { recursive: true });
  }
  symlinkSync("../waybill/bin/waybill", join(modules, ".bin", "waybill"));
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module", dependencies: { waybill: "*" } }));
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

test("holds the program, the page and the client, and neither sources nor tests", () => {
  const packed = join(project, "node_modules", "waybill");
  const { bin, exports: exported } = JSON.parse(readFileSync(join(packed, "package.json"), "utf8"));
  for (const file of [bin.waybill, exported["./client"].default, "dist/page/index.html", "README.md", "LICENSE"])
    expect(readFileSync(join(packed, file), "utf8")).not.toBe("");
  const files = execFileSync("find", [".", "-type", "f"], { cwd: packed, encoding: "utf8" }).split("\n");
  expect(files.filter((file) => /^\.\/(src|test|web|bench|scripts)\//.test(file))).toEqual([]);
});

test("`npx waybill init` without an agent says what to install, and writes nothing", async () => {
  const init = run("npx", ["waybill", "init", "--yes"], { cwd: project, env });
  await expect(init).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/No agent program.*npm install/s),
  });
  expect(existsSync(join(project, ".config"))).toBe(false);
});

test("`npx waybill up` without OpenCode runs the demo with a scripted agent, says what to install, and the client works", async () => {
  const up = spawn("npx", ["waybill", "up"], { cwd: project, env, stdio: ["ignore", "pipe", "inherit"] });
  const exit = once(up, "exit");
  let log = "";
  up.stdout.on("data", (chunk) => {
    log += chunk;
  });
  await expect.poll(() => readDaemonFile(home)?.url).toMatch(/^http/);
  const { url, supervisorPid } = readDaemonFile(home) ?? { url: null, supervisorPid: 0 };
  try {
    writeFileSync(join(project, "send.js"), sendingProgram);
    const args = ["send.js", url ?? "", join(home, "token")];
    const { stdout } = await run(process.execPath, args, { cwd: project, env });
    expect(stdout).toBe("responded\n");
    expect(log).toMatch(/The demo runs without OpenCode.*npm install -g opencode-ai/);
    expect(log).not.toMatch(/"err"/);
  } finally {
    process.kill(supervisorPid, "SIGTERM");
    await exit;
  }
});

const sendingProgram = `
import { readFileSync } from "node:fs";
import { WaybillClient } from "waybill/client";
const client = new WaybillClient({ url: process.argv[2], token: readFileSync(process.argv[3], "utf8").trim() });
const delivery = await client.sendAndWait({ to: { lane: "demo" }, text: "Is the build green?" });
console.log(delivery.status);
`;
