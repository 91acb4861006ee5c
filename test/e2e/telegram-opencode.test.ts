/** A chat with the real OpenCode: the built daemon, real grammY, a Bot API on loopback, and a scripted model. */
import { afterEach, expect, test } from "vitest";
import type { ChatHandle } from "../../src/fake-bot-api/people/chat-handle.ts";
import { botTexts } from "../support/telegram-daemon.ts";
import type { OpencodeBot } from "../support/telegram-opencode.ts";
import { startOpencodeBot } from "../support/telegram-opencode.ts";

let bot: OpencodeBot;
afterEach(() => bot.dispose());

test("an answer that the model streams is shown as a draft and arrives unchanged", async () => {
  const answer = "The **build** has three steps:\n\n1. compile\n2. test\n3. pack\n\n```sh\nnpm run ready\n```";
  const bash = { tool: "bash", input: { command: "sleep 1.5", description: "waits" } };
  const script = {
    rules: [{ when: "build", steps: [{ tools: [bash] }, { say: answer, pieceMs: 150, pieceLength: 6 }] }],
  };
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
  const { telegram, ann } = bot.world;
  const [group = telegram.supergroup()] = groups;

  const chat = telegram.privateChat(ann);
  chat.send("How is the build made?");
  await chat.waitFor(({ draft }) => draft?.canStop && draft.text === "", { timeoutMs: 60_000 });
  const half = await chat.waitFor(({ draft }) => draft && draft.text.length > 20 && draft.text, { timeoutMs: 60_000 });
  expect(answer.startsWith(half.slice(0, 20))).toBe(true);
  await chat.waitFor(() => botTexts(chat).length > 0, { timeoutMs: 60_000 });
  expect(botTexts(chat)).toEqual([answer]);
  const drafts = telegram.calls("sendRichMessageDraft").map(({ params }) => JSON.stringify(params.rich_message));
  expect(new Set(drafts).size).toBeGreaterThan(2);

  group.send("And the build here?");
  await group.waitFor(() => botTexts(group).some((text) => text.includes("⏳ bash `sleep 1.5`")), {
    timeoutMs: 60_000,
  });
  // A preview may already contain the whole text.
  await group.waitFor(() => botTexts(group).includes(answer), { timeoutMs: 60_000 });
  expect(botTexts(group)).toEqual([answer]);
}, 120_000);
