/** The chat commands, on a real daemon with real grammY and a Bot API on loopback. */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChatHandle } from "@waybill/fake-bot-api";
import { afterEach, describe, expect, test } from "vitest";
import type { StubScriptInput } from "../../src/runtimes/stub/script.ts";
import type { InProcessDaemon } from "../support/daemon/in-process-daemon.ts";
import type { TelegramWorldOptions } from "../support/telegram/telegram-world.ts";
import { botTexts, saysIn, TelegramWorld } from "../support/telegram/telegram-world.ts";

const longMs = 600_000;
const edited = { path: "notes.md", change: "added", diff: "@@ -0,0 +1 @@\n+remember\n" } as const;
const script: StubScriptInput = {
  always: [
    { when: "take long", steps: [{ wait: longMs }, { say: "Late: 1." }] },
    { when: "take a moment", steps: [{ wait: 3000 }, { say: "A moment later: 2." }] },
    {
      when: "write notes",
      steps: [
        { tool: "edit", changes: [edited] },
        { uses: { tokens: 70, cost: 0.5 } },
        { say: "I wrote notes.md: 1 line." },
      ],
    },
    {
      when: "tell ann",
      steps: [{ reply: "The build is red: 3 tests.", to: "ann", relay: false }, { say: "Told ann: 1." }],
    },
    { when: "need permission", steps: [{ ask: "permission", title: "Delete everything?" }, { say: "Done: 1." }] },
    { steps: [{ say: "The answer is 42." }] },
  ],
};

let world: TelegramWorld<InProcessDaemon>;
afterEach(() => world.dispose());

async function start(options: TelegramWorldOptions = {}): Promise<ChatHandle> {
  world = await TelegramWorld.inProcess({ script, ...options });
  await world.daemon.up();
  return world.telegram.privateChat(world.ann);
}

/** With lanes from the configuration, as a team. */
async function startForum(): Promise<ChatHandle> {
  world = await TelegramWorld.inProcess({ script });
  const forum = world.telegram.supergroup({ title: "Team", topics: true, members: [world.ann] });
  const lanes = ["chief", "worker"].map((id) => ({ id, directory: world.daemon.work }));
  const members = { tom: { lane: "chief", role: "lead" }, pat: { lane: "worker" } };
  const settings = { lanes, teams: { crew: { members } }, alertAskAfterMs: 200 };
  world.configure({ script, settings }, [forum]);
  await world.daemon.up();
  return forum;
}

/** Sends a message, and resolves with the bot's reply to it. */
async function ask(
  chat: ChatHandle,
  text: string,
  options: { thread?: number; replyTo?: number } = {},
): Promise<string> {
  const sent = chat.send(text, options);
  return chat.waitFor(({ messages }) => {
    const reply = messages.find(({ isFromBot, replyTo }) => isFromBot && replyTo === sent.message_id);
    return reply && (reply.file ? reply.file.name : reply.text);
  });
}

/** Resolves once the agent has the prompt. */
async function prompted(chat: ChatHandle, text: string, thread?: number): Promise<void> {
  chat.send(text, thread === undefined ? {} : { thread });
  await expect.poll(() => world.daemon.prompts().some((prompt) => prompt.text.includes(text))).toBe(true);
}

describe("running and waiting messages", () => {
  test("/stop ends the running turn immediately, and waiting messages are still sent", async () => {
    const chat = await start();
    await prompted(chat, "take long");
    chat.send("and then this");
    await saysIn(chat, /Queued/);
    expect(await ask(chat, "/stop")).toBe("The running turn was stopped.");
    await saysIn(chat, /The answer is 42/);
    expect(botTexts(chat).join()).not.toContain("Late");
    expect(await ask(chat, "/stop")).toBe("Nothing is running here.");
  });

  test("/status, /queue, /why and /withdraw agree about the messages", async () => {
    const chat = await start();
    expect(await ask(chat, "/status")).toContain("No message has been sent");
    await prompted(chat, "take long");
    const second = chat.send("second task");
    await chat.waitFor(({ messages }) => messages.find((one) => one.replyTo === second.message_id));
    chat.send("third task");
    await expect.poll(() => ask(chat, "/queue")).toMatch(/1\. second task.*\n2\. third task/);
    expect(await ask(chat, "/status")).toMatch(/Working for .*Waiting: 2 messages/s);
    expect(await ask(chat, "/why", { replyTo: second.message_id })).toContain("waiting for an earlier message");
    expect(await ask(chat, "/why")).toContain("take long");
    expect(await ask(chat, "/withdraw 7")).toContain('There is no waiting message "7"');
    expect(await ask(chat, "/withdraw")).toBe("Withdrawn: third task");
    expect(await ask(chat, "/withdraw", { replyTo: second.message_id })).toBe("Withdrawn: second task");
    expect(await ask(chat, "/queue")).toBe("Nothing is waiting.");
  });

  test("/pause holds messages back until /resume", async () => {
    const chat = await start();
    await ask(chat, "hello");
    expect(await ask(chat, "/pause")).toContain("Paused");
    const sent = chat.send("later");
    await saysIn(chat, /Queued: .*paused by ann/);
    expect(await ask(chat, "/resume")).toContain("Resumed");
    await chat.waitFor(({ messages }) =>
      messages.find((one) => one.replyTo === sent.message_id && /42/.test(one.text)),
    );
  });
});

describe("workspaces", () => {
  test("use repo switches per topic and keeps each workspace's session", async () => {
    const chat = await start();
    const other = world.repository("other");
    await ask(chat, "first");
    expect(await ask(chat, `use repo ${other}`)).toContain("A new conversation starts there");
    await ask(chat, "second");
    expect(await ask(chat, `use repo ${world.daemon.work}`)).toContain("Its conversation continues");
    await ask(chat, "third");
    const [one, two, three] = world.daemon.prompts().map(({ session }) => session);
    expect(one).toBe(three);
    expect(one).not.toBe(two);
    const listed = await ask(chat, "/sessions");
    expect(listed).toContain(`${world.daemon.work}\` (active, in use)`);
    expect(listed).toContain(`${other}\` (active)`);
  });

  test("a path outside the allowed roots is refused", async () => {
    const chat = await start();
    expect(await ask(chat, "use repo /usr")).toMatch(/⚠️ .*\/usr/);
    expect(await ask(chat, "pwd")).toContain(world.daemon.work);
  });

  test("a deleted workspace is reported, and the topic is not stuck", async () => {
    const chat = await start();
    const gone = world.repository("gone");
    await ask(chat, `use repo ${gone}`);
    await ask(chat, "hello");
    rmSync(gone, { recursive: true });
    expect(await ask(chat, "are you there?")).toMatch(/⚠️ .*gone/);
    expect(await ask(chat, "/sessions")).toContain("stale");
    await ask(chat, `use repo ${world.daemon.work}`);
    expect(await ask(chat, "and now?")).toBe("The answer is 42.");
  });

  test("two topics work side by side in different workspaces", async () => {
    const forum = await startForum();
    const [one, two] = [forum.createTopic("One"), forum.createTopic("Two")];
    const other = world.repository("other");
    await ask(forum, `use repo ${other}`, { thread: two });
    await prompted(forum, "take long", one);
    forum.send("quick one", { thread: two });
    await saysIn(forum, /The answer is 42/, two);
    expect(await ask(forum, "/status", { thread: one })).toMatch(/Working for/);
    expect(await ask(forum, "/status", { thread: two })).toContain(other);
  });

  test("/new opens a topic in the workspace of the current one", async () => {
    const forum = await startForum();
    const here = forum.createTopic("Here");
    const other = world.repository("other");
    await ask(forum, `use repo ${other}`, { thread: here });
    expect(await ask(forum, "/new Second try", { thread: here })).toContain("Second try");
    const made = await forum.waitFor(({ topics }) => topics.find(({ name }) => name === "Second try"));
    expect(await saysIn(forum, /This topic works in/, made.id)).toContain(other);
    expect(await ask(forum, "pwd", { thread: made.id })).toContain(other);
  });

  test("/new in a chat without topics starts a new conversation", async () => {
    const chat = await start();
    await ask(chat, "first");
    expect(await ask(chat, "/new")).toContain("starts a new conversation");
    await ask(chat, "second");
    const [one, two] = world.daemon.prompts().map(({ session }) => session);
    expect(one).not.toBe(two);
    await prompted(chat, "take long");
    expect(await ask(chat, "/new")).toContain("still working on a message");
  });
});

describe("the agent's work", () => {
  test("/diff, /files and /cost show what it changed and used, and an answer is followed by the file it names", async () => {
    const chat = await start();
    writeFileSync(join(world.daemon.work, "notes.md"), "remember\n");
    await ask(chat, "write notes");
    const file = await chat.waitFor(({ messages }) => messages.find((one) => one.file)?.file);
    expect(file).toEqual({ name: "notes.md", bytes: Buffer.from("remember\n") });
    expect(await ask(chat, "/diff")).toMatch(/```diff\n--- a\/notes\.md\n\+\+\+ b\/notes\.md\n@@.*\+remember/s);
    expect(await ask(chat, "/files")).toContain("1. `notes.md` (new)");
    expect(await ask(chat, "/files 1")).toBe("notes.md");
    expect(await ask(chat, "/cost")).toContain("$0.50, 70 tokens");
  });

  test("/files sends nothing from outside the workspace", async () => {
    const chat = await start();
    const outside = world.repository("outside");
    writeFileSync(join(outside, "secret.txt"), "secret");
    symlinkSync(join(outside, "secret.txt"), join(world.daemon.work, "link.txt"));
    mkdirSync(join(world.daemon.work, "folder"));
    await ask(chat, "hello");
    for (const path of ["link.txt", "../outside/secret.txt", join(outside, "secret.txt")]) {
      expect(await ask(chat, `/files ${path}`)).toContain("outside the workspace");
    }
    expect(await ask(chat, "/files folder")).toContain("is not a file");
    expect(await ask(chat, "/files missing.txt")).toContain("There is no file");
  });

  test("/model and /agent apply from the next message on, and /version shows the runtimes", async () => {
    const chat = await start();
    expect(await ask(chat, "/model large-1")).toContain("large-1");
    expect(await ask(chat, "/agent reviewer")).toContain("reviewer");
    expect(await ask(chat, "/status")).toContain("model large-1, agent reviewer");
    expect(await ask(chat, "/model")).toContain("The model is `large-1`");
    expect(await ask(chat, "/version")).toMatch(/Waybill \d+\.\d+.*stub: ready/s);
  });
});

describe("restart", () => {
  test("restart is announced before and confirmed after, once", async () => {
    const chat = await start();
    expect(await ask(chat, "restart")).toContain("Restarting");
    await saysIn(chat, /Waybill is back/);
    expect(await ask(chat, "hello")).toBe("The answer is 42.");
    expect(botTexts(chat).filter((text) => /Restarting|is back/.test(text))).toHaveLength(2);
  });

  test("with a mistake in the configuration is refused with the reason, and the worker goes on", async () => {
    const chat = await start();
    const path = join(world.daemon.directory, "config.json");
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), prot: 1 }));
    expect(await ask(chat, "/restart")).toMatch(/Not restarted: .*prot/);
    expect(await ask(chat, "hello")).toBe("The answer is 42.");
  });

  test("only administrators can restart and bind", async () => {
    const chat = await start({ settings: { telegramAdmins: [1] } });
    expect(await ask(chat, "/restart")).toContain("Only administrators");
    expect(await ask(chat, "/bind worker")).toContain("Only administrators");
  });
});

describe("a bound topic", () => {
  test("sends to the lane, gets the answers, and returns to its own agent", async () => {
    const forum = await startForum();
    const thread = forum.createTopic("Worker");
    expect(await ask(forum, "/bind wroker", { thread })).toContain('Did you mean "worker"?');
    expect(await ask(forum, "/bind worker", { thread })).toContain("goes to `worker`");
    forum.send("hello worker", { thread });
    await saysIn(forum, /The answer is 42/, thread);
    expect(
      world.daemon
        .prompts()
        .map(({ text }) => text)
        .join(),
    ).toContain("hello worker");
    expect(await ask(forum, "/status", { thread })).toContain("Lane: `worker`");
    expect(await ask(forum, `use repo ${world.daemon.work}`, { thread })).toContain("is bound to worker");
    await ask(forum, "/unbind", { thread });
    expect(await ask(forum, "pwd", { thread })).toContain(world.daemon.work);
  });

  test("to a team sends to its lead and gets the alerts of all its members", async () => {
    const forum = await startForum();
    const thread = forum.createTopic("Crew");
    expect(await ask(forum, "/bind crew/nobody", { thread })).toContain('no member "nobody"');
    expect(await ask(forum, "/bind crew", { thread })).toContain("the lead of team `crew`");
    forum.send("hello crew", { thread });
    await saysIn(forum, /The answer is 42/, thread);
    expect(await ask(forum, "/status", { thread })).toContain("Lane: `chief`");
    await world.daemon.client().send({ to: { lane: "worker" }, from: "ops", text: "need permission" });
    expect(await saysIn(forum, /waiting for your answer/, thread)).toContain("_Lane worker_");
  });

  test("what an agent writes to a person reaches their private chat", async () => {
    await startForum();
    const chat = world.telegram.privateChat(world.ann);
    await ask(chat, "/help");
    await world.daemon.client().send({ to: { lane: "worker" }, from: "ops", text: "tell ann" });
    expect(await saysIn(chat, /The build is red/)).toBe("**pat**: The build is red: 3 tests.");
  });
});
