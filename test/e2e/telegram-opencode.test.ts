/** A chat with the real OpenCode: the built daemon, real grammY, a Bot API on loopback, and a scripted model. */
import { realpathSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { isolatedHome, scriptedProvider } from "../../src/scripted-model/opencode-settings.ts";
import type { ScriptedModel } from "../../src/scripted-model/server.ts";
import { startScriptedModel } from "../../src/scripted-model/server.ts";
import { freePort } from "../support/free-port.ts";
import { opencodeBin } from "../support/opencode-server.ts";
import { botTexts, saysIn, TelegramWorld } from "../support/telegram-daemon.ts";

let world: TelegramWorld;
let model: ScriptedModel;
afterEach(async () => {
  await world.dispose();
  await model.close();
});

test("an answer that the model writes piece by piece streams as a draft and arrives as it was written", async () => {
  const answer = "The **build** has three steps:\n\n1. compile\n2. test\n3. pack\n\n```sh\nnpm run ready\n```";
  const bash = { tool: "bash", input: { command: "sleep 1.5", description: "waits" } };
  const script = {
    rules: [{ when: "build", steps: [{ tools: [bash] }, { say: answer, pieceMs: 150, pieceLength: 6 }] }],
  };
  model = await startScriptedModel({ script });
  world = await TelegramWorld.create();
  const { program, telegram } = world;
  const port = await freePort();
  Object.assign(program.env, isolatedHome(program.directory), {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(scriptedProvider(model.url)),
  });
  const server = { opencodeBin, opencodeAttachUrl: `http://127.0.0.1:${port}`, opencodeServePort: port };
  const group = telegram.supergroup({ members: [world.ann] });
  const settings = {
    ...server,
    modelProvider: "opencode_cli",
    permissionPolicy: "trusted",
    assistantRepoPath: realpathSync(program.work),
  };
  world.configure({ settings }, [group]);
  await world.up();

  const chat = telegram.privateChat(world.ann);
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
  await saysIn(group, /npm run ready/);
  expect(botTexts(group)).toEqual([answer]);
}, 120_000);
