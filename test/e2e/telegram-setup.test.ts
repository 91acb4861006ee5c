/** Setting up a bot: `up` with a wrong webhook, `init`, `doctor`, demo; the built program and a Bot API on loopback. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Check } from "../../src/platform/doctor-check.ts";
import type { Program } from "../support/daemon/program.ts";
import { openTerminal } from "../support/daemon/terminal.ts";
import { TelegramWorld } from "../support/telegram/telegram-world.ts";

let world: TelegramWorld<Program>;
afterEach(() => world.dispose());

describe("a webhook", () => {
  test("without a secret is refused with a hint", async () => {
    world = await TelegramWorld.ofProgram({ settings: { telegramWebhookUrl: "https://bot.example/telegram/webhook" } });
    const { code, stderr } = await world.daemon.run(["up"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/telegramWebhookUrl is set, but telegramWebhookSecret is not/);
    expect(stderr).toContain("openssl rand -hex 32");
  });
});

describe("waybill doctor", () => {
  const checks = async () => {
    const { stdout } = await world.daemon.run(["doctor", "--json"]);
    expect(stdout).not.toContain(world.telegram.token);
    const found = (JSON.parse(stdout) as { checks: Check[] }).checks.filter(({ name }) => name.startsWith("Telegram"));
    return Object.fromEntries(found.map(({ name, status, detail }) => [name, `${status}: ${detail}`]));
  };

  test("checks the bot, its users, its updates and its workspace, and confirms no update", async () => {
    world = await TelegramWorld.ofProgram({ api: { bot: { can_read_all_group_messages: false } } });
    const { telegram, ann } = world;
    world.configure({}, [telegram.supergroup({ members: [ann] })]);
    telegram.privateChat(ann).send("Wait for the daemon.");
    expect(await checks()).toEqual({
      "Telegram bot": "ok: The token belongs to @waybill_test_bot.",
      "Telegram updates": "ok: Waybill polls for updates. 1 waiting at Telegram.",
      "Telegram privacy mode": expect.stringMatching(/^warning: In groups the bot sees only commands/),
      "Telegram access": "ok: Allowed: 1 person, 1 group.",
      "Telegram workspace": expect.stringMatching(/^ok: /),
    });
    expect(telegram.pendingUpdates()).toBe(1);
  });

  test("finds a refused token and a missing workspace", async () => {
    world = await TelegramWorld.ofProgram({ settings: { assistantRepoPath: "/nowhere", telegramAllowedUsers: [] } });
    world.telegram.revokeToken();
    expect(await checks()).toMatchObject({
      "Telegram bot": "failed: Telegram refuses the bot token.",
      "Telegram access": expect.stringMatching(/^warning: telegramAllowedUsers is empty/),
      "Telegram workspace": expect.stringMatching(/^failed: .*\/nowhere/),
    });
  });
});

describe("waybill init", () => {
  const environment = () => ({
    PATH: "",
    ...world.daemon.env,
    WAYBILL_CONFIG: configPath(),
    TELEGRAM_API_ROOT: world.telegram.url,
  });
  const configPath = () => join(world.daemon.directory, "written.json");
  const written = () => JSON.parse(readFileSync(configPath(), "utf8")) as Record<string, unknown>;

  test("asks for a token without showing it, and allows the first sender, whose message stays pending", async () => {
    world = await TelegramWorld.ofProgram();
    const { telegram, ann, daemon: program } = world;
    const args = ["init", "--runtime", "stub", "--directory", program.work, "--lane", "api", "--port", "0"];
    const terminal = openTerminal({ ...program.command(...args), env: environment(), cwd: program.work });
    try {
      await terminal.waitFor("Telegram bot token");
      terminal.type("123:wrong\r");
      await terminal.waitFor("Telegram refuses the token.");
      terminal.type(`${telegram.token}\r`);
      await terminal.waitFor("This is @waybill_test_bot.");
      telegram.supergroup({ title: "Builders", members: [ann] }).send("Hello from the group.");
      await terminal.waitFor(`Allow ann (id ${ann.id}) to use the bot?`);
      terminal.press("enter");
      await terminal.waitFor("And in the group Builders");
      terminal.press("enter");
      expect(await terminal.exited).toBe(0);
      expect(terminal.screen()).not.toContain(telegram.token);
    } finally {
      await terminal.close();
    }
    expect(written()).toMatchObject({
      telegramBotToken: telegram.token,
      telegramAllowedUsers: [ann.id],
      telegramAllowedChats: [expect.any(Number)],
    });
    expect(statSync(configPath()).mode & 0o777).toBe(0o600);
    expect(telegram.pendingUpdates()).toBe(1);
  });

  test("writes the configuration without allowed users after Ctrl-C while it waits", async () => {
    world = await TelegramWorld.ofProgram();
    const { telegram, daemon: program } = world;
    const args = ["init", "--runtime", "stub", "--directory", program.work, "--lane", "api", "--port", "0"];
    const env = { ...environment(), TELEGRAM_BOT_TOKEN: telegram.token };
    const terminal = openTerminal({ ...program.command(...args), env, cwd: program.work });
    try {
      await terminal.waitFor("Press Ctrl-C to skip this.");
      terminal.press("ctrl-c");
      expect(await terminal.exited).toBe(0);
    } finally {
      await terminal.close();
    }
    expect(written()).toMatchObject({ telegramAllowedUsers: [] });
    expect(written()).not.toHaveProperty("telegramBotToken");
  });

  test("accepts options instead of questions, and writes nothing if the token is refused", async () => {
    world = await TelegramWorld.ofProgram();
    const { telegram, daemon: program } = world;
    const args = ["init", "--json", "--runtime", "stub", "--directory", program.work, "--lane", "api"];
    const options = ["--telegram-token-env", "BOT", "--telegram-user", "12", "--telegram-user", "34"];
    const refused = await program.run([...args, ...options], { env: { ...environment(), BOT: "123:wrong" } });
    expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("telegram_token_refused") });
    expect(existsSync(configPath())).toBe(false);
    const { code, stdout } = await program.run([...args, ...options], {
      env: { ...environment(), BOT: telegram.token },
    });
    expect({ code, telegram: JSON.parse(stdout).telegram }).toEqual({
      code: 0,
      telegram: { bot: "waybill_test_bot", users: [12, 34], chats: [] },
    });
    expect(written()).toMatchObject({ telegramBotToken: telegram.token, telegramAllowedUsers: [12, 34] });
  });
});

describe("waybill demo telegram", () => {
  const leftovers = () => readdirSync(join(world.daemon.home, "demo"));

  test("sends each line of piped input, and exits after the answers", async () => {
    world = await TelegramWorld.ofProgram();
    const input = "Is the build green?\n:topic Blue\nAnd here?\n:topics\n:9x\n";
    // The next test has OpenCode; here a scripted agent answers.
    const env = { PORT: "7717", OPENCODE_BIN: "/nowhere" };
    const { code, stdout } = await world.daemon.run(["demo", "telegram"], { input, env });
    expect(code).toBe(0);
    expect(stdout.match(/^bot: .*reached/gm)).toHaveLength(1);
    expect(stdout.match(/^bot \[Blue\]: .*reached/gm)).toHaveLength(1);
    expect(stdout).toContain("Unknown command: :9x.");
    expect(leftovers()).toEqual([]);
  });

  test("is a chat in a terminal that survives a killed worker, and Ctrl-C ends everything it started", async () => {
    world = await TelegramWorld.ofProgram();
    const { daemon: program } = world;
    const env = { PATH: process.env.PATH ?? "", ...program.env };
    const terminal = openTerminal({ ...program.command("demo", "telegram"), env, cwd: program.work });
    try {
      await terminal.waitFor("Type a message, or :help.");
      terminal.type(":offline\r");
      await terminal.waitFor("Telegram is down.");
      terminal.type("Are you there?\r");
      terminal.type(":online\r");
      await terminal.waitFor("Telegram is back.");
      await terminal.waitFor("bot reacts");
      terminal.type(":kill\r");
      await terminal.waitFor("The worker was killed.");
      await terminal.waitFor(/bot: .*reached/);
      terminal.press("ctrl-c");
      expect(await terminal.exited).toBe(0);
    } finally {
      await terminal.close();
    }
    expect(leftovers()).toEqual([]);
  });
});
