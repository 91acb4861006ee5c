/** Setting up a bot: webhook, readiness, `init`, `doctor`, demo; the built program and a Bot API on loopback. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Check } from "../../src/platform/doctor-check.ts";
import { freePort } from "../support/daemon/free-port.ts";
import { openTerminal } from "../support/daemon/terminal.ts";
import { saysIn, TelegramWorld } from "../support/telegram/telegram-daemon.ts";

let world: TelegramWorld;
afterEach(() => world.dispose());

const secret = "a-secret_of-the-webhook";

const known = { "x-telegram-bot-api-secret-token": secret };

/** Resolves with the status. */
function callWebhook(port: number, headers: Record<string, string>, body = '{"update_id":900000001}') {
  return new Promise<number>((resolve, reject) => {
    const address = { host: "127.0.0.1", port, path: "/telegram/webhook", method: "POST" };
    const sent = request({ ...address, headers: { "content-type": "application/json", ...headers } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject).end(body);
  });
}

describe("a webhook", () => {
  async function startWithWebhook() {
    const port = await freePort();
    const telegramWebhookUrl = `http://127.0.0.1:${port}/telegram/webhook`;
    const settings = { port, telegramWebhookUrl, telegramWebhookSecret: secret };
    world = await TelegramWorld.create({ settings });
    world.program.env.PORT = String(port);
    await world.up();
    return { port, settings };
  }

  test("is set with its secret, and its updates are answered", async () => {
    await startWithWebhook();
    const chat = world.telegram.privateChat(world.ann);
    chat.send("What is six times seven?");
    await saysIn(chat, /The answer is 42/);
    expect(world.telegram.calls("getUpdates")).toEqual([]);
    const [call] = world.telegram.calls("setWebhook");
    expect(call?.params).toMatchObject({ secret_token: secret, allowed_updates: expect.arrayContaining(["message"]) });
    expect(world.telegram.pendingUpdates()).toBe(0);
  });

  test("is set as soon as Telegram is reachable", async () => {
    const port = await freePort();
    const telegramWebhookUrl = `http://127.0.0.1:${port}/telegram/webhook`;
    world = await TelegramWorld.create({ settings: { port, telegramWebhookUrl, telegramWebhookSecret: secret } });
    world.telegram.fail({ method: "setWebhook", times: 2, with: { type: "badGateway" } });
    world.program.env.PORT = String(port);
    const chat = world.telegram.privateChat(world.ann);
    chat.send("Are you there?");
    await world.up();
    await saysIn(chat, /The answer is 42/);
  });

  test("refuses calls that are not from Telegram, and accepts those that are", async () => {
    const { port } = await startWithWebhook();
    const chat = world.telegram.privateChat(world.ann);
    chat.send("What is six times seven?");
    await saysIn(chat, /The answer is 42/);
    const call = (headers: Record<string, string>, body?: string) => callWebhook(port, headers, body);
    expect(await call({})).toBe(401);
    expect(await call({ "x-telegram-bot-api-secret-token": `${secret}x` })).toBe(401);
    expect(await call({ authorization: `Bearer ${world.program.token}` })).toBe(401);
    expect(await call({ ...known, host: "elsewhere.example" })).toBe(403);
    expect(await call({ ...known, "content-type": "text/plain" })).toBe(415);
    expect(await call(known, "{")).toBe(400);
    expect(await call(known, "{}")).toBe(400);
    expect(await call(known, `{"update_id":1,"x":"${"x".repeat(1024 * 1024)}"}`)).toBe(413);
    expect(await call(known)).toBe(200);
    expect(await call(known)).toBe(200);
  });

  test("refuses an update that cannot be stored yet with 503, so that Telegram sends it again", async () => {
    const port = await freePort();
    const telegramWebhookUrl = `http://127.0.0.1:${port}/telegram/webhook`;
    world = await TelegramWorld.create({ settings: { port, telegramWebhookUrl, telegramWebhookSecret: secret } });
    world.program.env.PORT = String(port);
    await world.telegram.goDown();
    await world.up();
    expect(await callWebhook(port, known)).toBe(503);
  });

  test("allows its host only for its own path", async () => {
    const port = await freePort();
    const telegramWebhookUrl = "https://bot.example/telegram/webhook";
    const settings = { port, telegramWebhookUrl, telegramWebhookSecret: secret };
    world = await TelegramWorld.create({ settings });
    world.program.env.PORT = String(port);
    await world.up();
    const statusAt = (path: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = { host: "bot.example", "x-telegram-bot-api-secret-token": secret };
        const sent = request({ host: "127.0.0.1", port, path, method: "GET", headers }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        sent.on("error", reject).end();
      });
    expect(await statusAt("/telegram/webhook")).toBe(405);
    expect(await statusAt("/health")).toBe(403);
    expect(await statusAt("/telegram")).toBe(403);
  });

  test("is removed for polling, and pending updates are answered", async () => {
    world = await TelegramWorld.create();
    const { telegram, ann } = world;
    await fetch(`${telegram.url}/bot${telegram.token}/setWebhook`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url: "http://127.0.0.1:9/gone" }),
    });
    const chat = telegram.privateChat(ann);
    chat.send("Are you there?");
    const daemon = await world.up();
    await daemon.waitForLine({ event: "telegram_webhook_removed" });
    await saysIn(chat, /The answer is 42/);
    expect(telegram.calls("deleteWebhook")[0]?.params).toMatchObject({ drop_pending_updates: false });
  });

  test("without a secret is refused with a hint", async () => {
    world = await TelegramWorld.create({ settings: { telegramWebhookUrl: "https://bot.example/telegram/webhook" } });
    const { code, stderr } = await world.program.run(["up"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/telegramWebhookUrl is set, but telegramWebhookSecret is not/);
    expect(stderr).toContain("openssl rand -hex 32");
  });
});

describe("readiness", () => {
  const reasons = async () => {
    const response = await world.program.fetch("/ready");
    return { status: response.status, ...((await response.json()) as { degraded: boolean; reasons: string[] }) };
  };

  test("reports by code what keeps Telegram from working, until it works again", async () => {
    world = await TelegramWorld.create();
    const daemon = await world.up();
    await world.telegram.goDown();
    await daemon.waitForLine({ event: "telegram_unreachable" });
    expect(await reasons()).toMatchObject({ status: 200, degraded: true, reasons: ["telegram_unreachable"] });
    await world.telegram.comeBack();
    await daemon.waitForLine({ event: "telegram_ready" });
    expect(await reasons()).toMatchObject({ status: 200, degraded: false, reasons: [] });
  });

  test("reports a refused token and another program that polls", async () => {
    world = await TelegramWorld.create();
    const conflict = { type: "error", code: 409, description: "Conflict: terminated by other getUpdates request" };
    // Until the token is revoked: that is noticed first.
    world.telegram.fail({ method: "getUpdates", times: 1000, with: conflict as never });
    const daemon = await world.up();
    await daemon.waitForLine({ event: "telegram_conflict" });
    expect((await reasons()).reasons).toEqual(["telegram_conflict"]);
    world.telegram.revokeToken();
    await daemon.waitForLine({ event: "telegram_token_refused" });
    expect((await reasons()).reasons).toEqual(["telegram_token_refused"]);
  });
});

describe("waybill doctor", () => {
  const checks = async () => {
    const { stdout } = await world.program.run(["doctor", "--json"]);
    expect(stdout).not.toContain(world.telegram.token);
    const found = (JSON.parse(stdout) as { checks: Check[] }).checks.filter(({ name }) => name.startsWith("Telegram"));
    return Object.fromEntries(found.map(({ name, status, detail }) => [name, `${status}: ${detail}`]));
  };

  test("checks the bot, its users, its updates and its workspace, and confirms no update", async () => {
    world = await TelegramWorld.create({ api: { bot: { can_read_all_group_messages: false } } });
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
    world = await TelegramWorld.create({ settings: { assistantRepoPath: "/nowhere", telegramAllowedUsers: [] } });
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
    ...world.program.env,
    WAYBILL_CONFIG: configPath(),
    TELEGRAM_API_ROOT: world.telegram.url,
  });
  const configPath = () => join(world.program.directory, "written.json");
  const written = () => JSON.parse(readFileSync(configPath(), "utf8")) as Record<string, unknown>;

  test("asks for a token without showing it, and allows the first sender, whose message stays pending", async () => {
    world = await TelegramWorld.create();
    const { telegram, ann, program } = world;
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
    world = await TelegramWorld.create();
    const { telegram, program } = world;
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
    world = await TelegramWorld.create();
    const { telegram, program } = world;
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
  const leftovers = () => readdirSync(join(world.program.home, "demo"));

  test("sends each line of piped input, and exits after the answers", async () => {
    world = await TelegramWorld.create();
    const input = "Is the build green?\n:topic Blue\nAnd here?\n:topics\n:9x\n";
    const { code, stdout } = await world.program.run(["demo", "telegram"], { input, env: { PORT: "7717" } });
    expect(code).toBe(0);
    expect(stdout.match(/^bot: .*reached/gm)).toHaveLength(1);
    expect(stdout.match(/^bot \[Blue\]: .*reached/gm)).toHaveLength(1);
    expect(stdout).toContain("Unknown command: :9x.");
    expect(leftovers()).toEqual([]);
  });

  test("is a chat in a terminal that survives a killed worker, and Ctrl-C ends everything it started", async () => {
    world = await TelegramWorld.create();
    const { program } = world;
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
