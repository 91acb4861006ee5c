import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { loadCommands } from "../../src/cli/commands.ts";
import { commandHelp } from "../../src/cli/help.ts";
import type { StubScriptInput } from "../../src/runtimes/stub/script.ts";
import { Program } from "../support/daemon/program.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
let program: Program;
beforeEach(() => {
  program = new Program();
});
afterEach(() => program.dispose());

const waybill = (args: string[]) => program.run(args);

const commands = (await loadCommands()).filter(({ hidden }) => !hidden);
const names = commands.map(({ name }) => name);
/** Commands that need no daemon, `attach`, which also needs OpenCode, and `mcp`, which needs a member's token. */
const others = ["up", "init", "doctor", "demo", "attach", "mcp", "store", "completion"];
const clientCommands = commands.filter(({ name }) => !others.includes(name));

describe("help", () => {
  test.each(names)("%s --help has a usage line and an example, and its lines fit", async (name) => {
    const { code, stdout, stderr } = await waybill([name, "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^Usage: waybill ${name}`));
    expect(stdout).toMatch(/Examples:\n {2}\S/);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  test("lists every option of the command", async () => {
    for (const command of clientCommands) {
      const help = commandHelp(command);
      for (const option of Object.keys(command.options)) expect(help, command.name).toContain(`--${option}`);
      expect(help, command.name).toContain("--json");
    }
  });

  test("the list of commands is complete", async () => {
    const { stdout } = await waybill(["--help"]);
    for (const name of names) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, "m"));
  });

  test("docs/command-line.md mentions every command and option", () => {
    const document = readFileSync(join(root, "docs/command-line.md"), "utf8");
    for (const { name, options } of clientCommands) {
      expect(document).toContain(`waybill ${name}`);
      for (const option of Object.keys(options)) expect(document, name).toContain(`--${option}`);
    }
  });
});

describe("completion", () => {
  const has = (shell: string) => spawnSync(shell, ["--version"]).status === 0;
  let bashScript: string;
  beforeAll(async () => {
    const program = new Program();
    ({ stdout: bashScript } = await program.run(["completion", "bash"]));
    await program.dispose();
  });

  test.each(["bash", "zsh", "fish"])("the script for %s is valid", async (shell) => {
    const { code, stdout } = await waybill(["completion", shell]);
    expect(code).toBe(0);
    for (const name of names) expect(stdout).toContain(name);
    if (!has(shell)) return;
    const script = join(program.directory, `completion.${shell}`);
    writeFileSync(script, stdout);
    const checked = spawnSync(shell, ["-n", script], { encoding: "utf8" });
    expect({ status: checked.status, stderr: checked.stderr }).toEqual({ status: 0, stderr: "" });
  });

  test.each([
    ["waybill se", ["send"]],
    ["waybill send --w", ["--wait"]],
    ["waybill send --mode d", ["do", "delegate"]],
    ["waybill send --lane ", ["chat", "review"]],
    ["waybill lanes p", ["pause"]],
    ["waybill lanes pause r", ["review"]],
    ["waybill follow ", ["chat", "review"]],
    ["waybill follow chat --o", ["--once"]],
    ["waybill store ba", ["backup"]],
    ["waybill deliveries --status failed_", ["failed_retryable", "failed_terminal"]],
    ["waybill completion z", ["zsh"]],
    ["waybill send --summary ", []],
  ])("in bash, Tab after %j offers %j", (line, offered) => {
    const lanes = JSON.stringify({ lanes: [{ id: "chat", holder: { messageId: "m1" } }, { id: "review" }] });
    const words = line.split(" ");
    const asked = `waybill() { [ "$*" = "lanes --json" ] && echo '${lanes}'; }
${bashScript}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _waybill
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", asked], { encoding: "utf8" });
    expect(stderr).toBe("");
    expect(stdout.split("\n").filter((word) => word !== "")).toEqual(offered);
  });
});

describe("send --wait", () => {
  const answer = { say: "Done: 3 files." };
  const lane = (...steps: object[]) => ({ slow: { always: [{ steps }] } }) as Record<string, StubScriptInput>;

  test("survives a kill of the daemon while it waits", async () => {
    program.configure(lane({ hang: true }));
    await program.up();
    let killed = 0;
    const { code, stdout, stderr } = await program.run(["send", "--lane", "slow", "--wait", "Tidy up."], {
      onOutput: (text) => {
        if (killed > 0 || !text.includes("accepted")) return;
        // The stub's transcript is derived from its script: by the next start, the agent has answered.
        program.configure(lane(answer));
        killed = program.killWorker();
      },
    });
    expect(killed).toBeGreaterThan(0);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done: 3 files.\n" });
    expect(stderr).toMatch(/lost the connection to the daemon; trying again[\s\S]*responded after 1 attempt/);
    expect(program.prompts()).toHaveLength(1);
  });

  test("Ctrl-C lets the delivery continue, and says how to check on it", async () => {
    // The turn cannot end before Ctrl-C: the agent waits for a permission.
    program.configure(lane({ ask: "permission" }, answer));
    await program.up();
    const line = ["send", "--lane", "slow", "--id", "m1", "--wait", "Tidy up."];
    const { code, stderr } = await program.run(line, {
      onOutput: (text, child) => void (text.includes("accepted") && child.kill("SIGINT")),
    });
    expect(code).toBe(130);
    expect(stderr).toMatch(/the delivery continues\. To check on it: waybill why m1\n$/);
    const again = program.run(line);
    const client = program.client();
    await expect.poll(async () => (await client.asks()).asks.length).toBe(1);
    for (const { id } of (await client.asks()).asks) await client.answer(id, { decision: "once" });
    expect((await again).stdout).toBe("Done: 3 files.\n");
    expect(program.prompts()).toHaveLength(1);
  });
});

test("the client library can be imported by its name, and needs nothing else", async () => {
  const script = `import { WaybillClient, WaybillError } from "waybill/client";
    console.log(typeof WaybillClient, typeof WaybillError);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd: root });
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect({ code, said }).toEqual({ code: 0, said: "function function\n" });
});
