/** A chat with the real OpenCode: the built daemon, real grammY, a Bot API on loopback, and a scripted model. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChatHandle } from "@waybill/fake-bot-api";
import { afterEach, expect, test } from "vitest";
import type { OpencodeBot } from "../support/telegram/telegram-opencode.ts";
import { startOpencodeBot } from "../support/telegram/telegram-opencode.ts";
import { botTexts } from "../support/telegram/telegram-world.ts";

const patience = { timeoutMs: 120_000 };

let bot: OpencodeBot;
afterEach(() => bot.dispose());

test("an answer that the model streams is shown as a draft and arrives unchanged", async () => {
  const answer = "The **build** has three steps:\n\n1. compile\n2. test\n3. pack\n\n```sh\nnpm run ready\n```";
  // The tool runs, and then the model stops speaking, until the test has seen what the chat shows of it.
  const command = "until [ -e go ]; do sleep 0.1; done";
  const bash = { tool: "bash", input: { command, description: "waits" } };
  const script = { rules: [{ when: "build", steps: [{ tools: [bash] }, { say: answer, pieceLength: 6 }] }] };
  const groups: ChatHandle[] = [];
  bot = await startOpencodeBot({
    script,
    // On a slow machine, progress reports would appear among the expected messages.
    settings: { permissionPolicy: "trusted", progressMaxCount: 0 },
    groups: ({ telegram, ann }) => {
      groups.push(telegram.supergroup({ members: [ann] }));
      return groups;
    },
  });
  const { telegram, ann, daemon: program } = bot.world;
  const gate = join(program.work, "go");
  const [group = telegram.supergroup()] = groups;

  const chat = telegram.privateChat(ann);
  chat.send("How is the build made?");
  await chat.waitFor(({ draft }) => draft?.canStop && draft.text === "", patience);
  bot.gates.holdBefore("steps:", "pack");
  writeFileSync(gate, "");
  const half = await chat.waitFor(({ draft }) => draft && draft.text.length > 20 && draft.text, patience);
  expect(answer.startsWith(half.slice(0, 20))).toBe(true);
  bot.gates.letPass("steps:");
  await chat.waitFor(({ draft }) => draft && draft.text.length > half.length, patience);
  bot.gates.letPass("pack");
  await chat.waitFor(() => botTexts(chat).length > 0, patience);
  expect(botTexts(chat)).toEqual([answer]);
  const drafts = telegram.calls("sendRichMessageDraft").map(({ params }) => JSON.stringify(params.rich_message));
  expect(new Set(drafts).size).toBeGreaterThan(2);

  rmSync(gate);
  group.send("And the build here?");
  await group.waitFor(() => botTexts(group).some((text) => text.includes(`⏳ bash \`${command}\``)), patience);
  writeFileSync(gate, "");
  // A preview may already contain the whole text.
  await group.waitFor(() => botTexts(group).includes(answer), patience);
  expect(botTexts(group)).toEqual([answer]);
});
