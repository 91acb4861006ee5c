/** Asks of the real OpenCode with a scripted model, answered by buttons in a chat. */

import type { ChatHandle, ShownMessage } from "@waybill/fake-bot-api";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OpencodeBot } from "../support/telegram/telegram-opencode.ts";
import { startOpencodeBot } from "../support/telegram/telegram-opencode.ts";

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

let bot: OpencodeBot;
let chat: ChatHandle;

beforeAll(async () => {
  bot = await startOpencodeBot({ script });
  chat = bot.world.telegram.privateChat(bot.world.ann);
});
afterAll(() => bot.dispose());

function shows(pattern: RegExp): Promise<ShownMessage> {
  return chat.waitFor(({ messages }) => messages.find(({ isFromBot, text }) => isFromBot && pattern.test(text)), {
    timeoutMs: 120_000,
  });
}

test("Once lets OpenCode run the command", async () => {
  chat.send("Please run once.");
  const ask = await shows(/echo one-done/);
  await chat.press(ask.id, "Once");
  await shows(/Allowed once by ann/);
  expect((await shows(/Once gave/)).text).toContain("one-done");
});

test("OpenCode reads the reason for a rejection, and continues", async () => {
  chat.send("Please run never.");
  const ask = await shows(/echo two-done/);
  await chat.press(ask.id, "Reject with a reason…");
  const prompt = await shows(/with the reason/);
  chat.send("Use the makefile.", { replyTo: prompt.id });
  await shows(/Rejected by ann: Use the makefile/);
  expect((await shows(/Never gave/)).text).toContain("Use the makefile.");
});

test("a question from OpenCode is answered by a button", async () => {
  chat.send("Please ask me.");
  const ask = await shows(/Which colour/);
  await chat.press(ask.id, "Blue");
  await shows(/✅ ann: Blue/);
  expect((await shows(/You said/)).text).toContain("Blue");
});
