/** From nothing to the first proven answer, as a new user does it: in a terminal, with an installed agent. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ScriptedModel } from "@waybill/scripted-model";
import { isolatedHome, scriptedProvider, startScriptedModel } from "@waybill/scripted-model";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openTerminal } from "../support/daemon/terminal.ts";

const program = fileURLToPath(new URL("../../bin/waybill", import.meta.url));

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel({ script: { otherwise: [{ say: "ready" }] } });
});
afterAll(() => model.close());

/** A fresh home, and a terminal that runs `waybill init` in a project. */
function newUser(args: readonly string[] = [], home = realpathSync(mkdtempSync(join(tmpdir(), "waybill-first-")))) {
  const project = join(home, "my-project");
  mkdirSync(project, { recursive: true });
  const env = {
    ...isolatedHome(home),
    PATH: "/usr/bin:/bin",
    OPENCODE_CONFIG_CONTENT: JSON.stringify(scriptedProvider(model.url)),
  };
  const options = { command: process.execPath, args: [program, "init", ...args], env, cwd: project, rows: 40 };
  const terminal = openTerminal(options);
  onTestFinished(async () => {
    await terminal.close();
    rmSync(home, { recursive: true, force: true });
  });
  return { terminal, home, project };
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" });
}

test("three questions give a proven answer from an installed agent, and leave nothing running", async () => {
  const { terminal, home, project } = newUser();
  await terminal.waitFor(/opencode +OpenCode \d+\.\d+\.\d+/);
  await terminal.waitFor(/Which agent\? \(opencode.*\) \[opencode\]/);
  terminal.press("enter");
  await terminal.waitFor(`In which directory does it work? [${project}]`);
  terminal.press("enter");
  await terminal.waitFor("Telegram bot token");
  terminal.press("enter");
  await terminal.waitFor("Sending opencode a test message.");
  await terminal.waitFor(/^ready$/m);
  await terminal.waitFor(/Next: waybill up/);
  expect(await terminal.exited).toBe(0);
  const config = filesIn(home).find((file) => file.endsWith("waybill/config.json"));
  expect(JSON.parse(readFileSync(join(home, config ?? ""), "utf8"))).toMatchObject({
    modelProvider: "opencode_cli",
    lanes: [{ id: "my-project", directory: project }],
  });
  expect(filesIn(home).filter((file) => /init-\d+\.json|daemon\.json$/.test(file))).toEqual([]);
});

test("an agent without a login is named as the cause, again each time it is tried", async () => {
  let home: string | undefined;
  for (const options of [[], ["--force"]]) {
    const user = newUser(["--runtime", "claude", ...options], home);
    const { terminal } = user;
    home = user.home;
    await terminal.waitFor("In which directory");
    terminal.press("enter");
    await terminal.waitFor("Telegram bot token");
    terminal.press("enter");
    await terminal.waitFor(/failed_terminal after 1 attempt \(provider_auth\)/);
    await terminal.waitFor("Claude Code has no login. Log in with its own program");
    expect(await terminal.exited).toBe(3);
  }
});

test("Ctrl-C skips the test message; the configuration is written, and nothing is left running", async () => {
  // Otherwise the answer could come before the key.
  model.setScript({ otherwise: [{ breaks: { how: "hang" } }] });
  const { terminal, home } = newUser(["--runtime", "opencode"]);
  await terminal.waitFor("In which directory");
  terminal.press("enter");
  await terminal.waitFor("Telegram bot token");
  terminal.press("enter");
  await terminal.waitFor("Ctrl-C skips it.");
  terminal.press("ctrl-c");
  expect(await terminal.exited).toBe(130);
  expect(filesIn(home).some((file) => file.endsWith("waybill/config.json"))).toBe(true);
  expect(filesIn(home).filter((file) => /init-\d+\.json|daemon\.json$/.test(file))).toEqual([]);
});
