/** Asks of a real OpenCode with a scripted model, answered by buttons in a chat. */
import { realpathSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChatHandle } from "../../src/fake-bot-api/people/chat-handle.ts";
import type { ShownMessage } from "../../src/fake-bot-api/people/chat-view.ts";
import { isolatedHome, scriptedProvider } from "../../src/scripted-model/opencode-settings.ts";
import type { ScriptedModel } from "../../src/scripted-model/server.ts";
import { startScriptedModel } from "../../src/scripted-model/server.ts";
import { freePort } from "../support/free-port.ts";
import { opencodeBin } from "../support/opencode-server.ts";
import { TelegramWorld } from "../support/telegram-daemon.ts";

const bash = (command: string) => ({ tool: "bash", input: { command, description: "runs it" } });
const colours = ["Red", "Blue"].map((label) => ({ label, description: `It is ${label}.` }));
const question = { question: "Which colour?", header: "Colour", options: colours };
const script = {
  rules: [
    { when: "run once", steps: [{ tools: [bash("echo one-done")] }, { say: "Once gave: {{result}}" }] },
    { when: "run never", steps: [{ tools: [bash("echo two-done")] }, { say: "Never gave: {{result}}" }] },
    {
      when: "ask me",
      steps: [{ tools: [{ tool: "question", input: { questions: [question] } }] }, { say: "You said: {{result}}" }],
    },
  ],
};

let world: TelegramWorld;
let model: ScriptedModel;
let chat: ChatHandle;

beforeAll(async () => {
  model = await startScriptedModel({ script });
  world = await TelegramWorld.create();
  const { program } = world;
  const port = await freePort();
  Object.assign(program.env, isolatedHome(program.directory), {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(scriptedProvider(model.url)),
  });
  world.configure({
    settings: {
      modelProvider: "opencode_cli",
      stubScript: undefined,
      opencodeBin,
      opencodeAttachUrl: `http://127.0.0.1:${port}`,
      opencodeServePort: port,
      assistantRepoPath: realpathSync(program.work),
      allowedDirectories: [realpathSync(program.directory)],
    },
  });
  await world.up();
  chat = world.telegram.privateChat(world.ann);
}, 120_000);
afterAll(async () => {
  await world.dispose();
  await model.close();
});

function shows(pattern: RegExp): Promise<ShownMessage> {
  return chat.waitFor(({ messages }) => messages.find(({ isFromBot, text }) => isFromBot && pattern.test(text)), {
    timeoutMs: 80_000,
  });
}

test("Once lets OpenCode run the command", async () => {
  chat.send("Please run once.");
  const ask = await shows(/echo one-done/);
  await chat.press(ask.id, "Once");
  await shows(/Allowed once by ann/);
  expect((await shows(/Once gave/)).text).toContain("one-done");
}, 120_000);

test("OpenCode reads the reason of a rejection, and goes on", async () => {
  chat.send("Please run never.");
  const ask = await shows(/echo two-done/);
  await chat.press(ask.id, "Reject with a reason…");
  const prompt = await shows(/with the reason/);
  chat.send("Use the makefile.", { replyTo: prompt.id });
  await shows(/Rejected by ann: Use the makefile/);
  expect((await shows(/Never gave/)).text).toContain("Use the makefile.");
}, 120_000);

test("a question of OpenCode is answered by a press", async () => {
  chat.send("Please ask me.");
  const ask = await shows(/Which colour/);
  await chat.press(ask.id, "Blue");
  await shows(/✅ ann: Blue/);
  expect((await shows(/You said/)).text).toContain("Blue");
}, 120_000);
