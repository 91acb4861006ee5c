/** Agents' asks as buttons in a chat: a real daemon, real grammY, and a Bot API on loopback. */
import { join } from "node:path";
import type { ChatHandle, ShownMessage } from "@waybill/fake-bot-api";
import { describe, expect, test } from "vitest";
import { readJournal } from "../../src/runtimes/stub/journal.ts";
import type { StubScriptInput } from "../../src/runtimes/stub/script.ts";
import type { StartedBot } from "../support/telegram/telegram-world.ts";
import { botTexts, saysIn, startBot } from "../support/telegram/telegram-world.ts";

/** Resolves with the first matching message from the bot. */
function shows(chat: ChatHandle, pattern: RegExp): Promise<ShownMessage> {
  return chat.waitFor(({ messages }) => messages.find(({ isFromBot, text }) => isFromBot && pattern.test(text)));
}

/** The answers that the agent got. */
function answersIn({ daemon }: StartedBot["world"]) {
  return readJournal(join(daemon.home, "stub.jsonl")).filter((entry) => entry.type === "answer");
}

const labels = ({ keyboard }: ShownMessage) => keyboard.flat().map(({ text }) => text);

const permission = {
  ask: "permission",
  title: "bash: make clean",
  detail: { command: "make clean && rm -rf build" },
} as const;
const asking: StubScriptInput = { always: [{ steps: [permission, { say: "It is clean." }] }] };

describe.concurrent("a permission", () => {
  test("a permission is a message with four buttons, and Once lets the agent continue", async (t) => {
    const { world, chat } = await startBot(t, { script: asking });
    const sent = chat.send("Clean up.");
    const ask = await shows(chat, /asks for permission/);
    expect(ask).toMatchObject({ replyTo: sent.message_id });
    expect(ask.text).toContain("bash: make clean");
    expect(ask.text).toContain("rm -rf build");
    expect(ask.text).toContain(world.daemon.work);
    expect(labels(ask)).toEqual(["Once", "Always", "Reject", "Reject with a reason…"]);
    expect(await chat.press(ask.id, "Once")).toMatchObject({ text: "✅ Allowed once by ann." });
    await saysIn(chat, /It is clean/);
    const decided = await shows(chat, /Allowed once by ann/);
    expect(decided).toMatchObject({ id: ask.id, keyboard: [] });
  });

  test("while an agent waits for a person, the chat shows a reminder and no progress", async (t) => {
    const settings = { progressFirstMs: 1500, progressEveryMs: 1500, alertAskAfterMs: 4000 };
    const { chat } = await startBot(t, { script: asking, settings });
    chat.send("Clean up.");
    await shows(chat, /asks for permission/);
    await shows(chat, /has been waiting for your answer/);
    expect(botTexts(chat).join("\n")).not.toContain("Still working");
  });

  test("an ask that was answered elsewhere says so in the chat", async (t) => {
    const { world, chat } = await startBot(t, { script: asking });
    chat.send("Clean up.");
    const ask = await shows(chat, /asks for permission/);
    const client = world.daemon.client();
    const [open] = (await client.asks()).asks;
    await client.answer(open?.id ?? "", { decision: "always" });
    expect(await shows(chat, /Always allowed elsewhere/)).toMatchObject({ id: ask.id, keyboard: [] });
  });

  test("an ask that expired says so", async (t) => {
    const { world, chat } = await startBot(t, { script: asking });
    chat.send("Clean up.");
    const ask = await shows(chat, /asks for permission/);
    const client = world.daemon.client();
    const [open] = (await client.asks()).asks;
    await client.abortLane(open?.lane ?? "");
    expect(await shows(chat, /Expired/)).toMatchObject({ id: ask.id, keyboard: [] });
    expect(await chat.press(ask.id, { data: ask.keyboard.flat().flatMap(dataOf)[0] ?? "" })).toMatchObject({
      text: "This is no longer open.",
    });
  });

  test("a press that is delivered twice decides once", async (t) => {
    const { world, chat } = await startBot(t, { script: asking });
    chat.send("Clean up.");
    const ask = await shows(chat, /asks for permission/);
    const [once = "", , reject = ""] = ask.keyboard.flat().flatMap(dataOf);
    await Promise.all([chat.press(ask.id, { data: once }), chat.press(ask.id, { data: once })]);
    await chat.press(ask.id, { data: reject });
    await saysIn(chat, /It is clean/);
    expect(answersIn(world)).toMatchObject([{ decision: "once" }]);
    expect(botTexts(chat).filter((text) => text.includes("Allowed once by ann"))).toHaveLength(1);
  });

  test("a stranger's press changes nothing", async (t) => {
    const { world, chat } = await startBot(t, { script: asking });
    chat.send("Clean up.");
    const ask = await shows(chat, /asks for permission/);
    const stranger = world.telegram.user({ first_name: "Eve" });
    const answer = await chat.press(ask.id, "Always", { from: stranger });
    expect(answer).toMatchObject({ text: "You are not allowed to use this bot." });
    expect(answersIn(world)).toEqual([]);
    expect(labels(await shows(chat, /asks for permission/))).toHaveLength(4);
  });
});

function dataOf(button: ShownMessage["keyboard"][number][number]): string[] {
  return "callback_data" in button && button.callback_data !== undefined ? [button.callback_data] : [];
}

describe.concurrent("questions", () => {
  const colour = {
    question: "Which colour?",
    options: [{ label: "Red", description: "like fire" }, { label: "Blue" }],
  };
  const parts = {
    question: "Which parts?",
    options: [{ label: "Core" }, { label: "Page" }, { label: "Docs" }],
    multiple: true,
  };

  test("a question with one choice is answered by one press", async (t) => {
    const steps = [{ ask: "question" as const, questions: [colour] }, { say: "Painted." }];
    const { world, chat } = await startBot(t, { script: { always: [{ steps }] } });
    chat.send("Paint it.");
    const ask = await shows(chat, /Which colour/);
    expect(ask.text).toContain("Red: like fire");
    expect(labels(ask)).toEqual(["Red", "Blue", "Other…"]);
    await chat.press(ask.id, "Blue");
    await saysIn(chat, /Painted/);
    expect(await shows(chat, /✅ ann: Blue/)).toMatchObject({ id: ask.id, keyboard: [] });
    expect(answersIn(world)).toMatchObject([{ answers: [["Blue"]] }]);
  });

  test("several questions are answered one by one, by selection or in free text, and sent together", async (t) => {
    const how = { question: "How?" };
    const steps = [{ ask: "question" as const, questions: [colour, parts, how] }, { say: "Done so." }];
    const { world, chat } = await startBot(t, { script: { always: [{ steps }] } });
    chat.send("Do it.");
    const [one, two, three] = [
      await shows(chat, /Which colour/),
      await shows(chat, /Which parts/),
      await shows(chat, /How\?/),
    ];
    await chat.press(one.id, "Red");
    await shows(chat, /The other questions still need/);
    await chat.press(two.id, "Docs");
    await chat.waitFor(({ messages }) => messages.some((message) => labels(message).includes("✓ Docs")));
    await chat.press(two.id, "Core");
    await chat.waitFor(({ messages }) => messages.some((message) => labels(message).includes("✓ Core")));
    await chat.press(two.id, "✓ Docs");
    await chat.waitFor(({ messages }) => messages.some((message) => labels(message).includes("Docs")));
    await chat.press(two.id, "Page");
    await chat.press(two.id, "Send");
    await chat.press(three.id, "Answer…");
    const prompt = await shows(chat, /Reply to this message with your answer/);
    expect(answersIn(world)).toEqual([]);
    chat.send("With care.", { replyTo: prompt.id });
    await saysIn(chat, /Done so/);
    expect(answersIn(world)).toMatchObject([{ answers: [["Red"], ["Core", "Page"], ["With care."]] }]);
    await shows(chat, /✅ ann: Core, Page/);
  });
});

describe.concurrent("the buttons of a message", () => {
  const slow: StubScriptInput = {
    turns: [{ when: "first", steps: [{ hang: true }] }],
    always: [{ steps: [{ say: "The answer is 42." }] }],
  };

  test("Why? explains what the message waits for, and Withdraw takes it back", async (t) => {
    const { chat } = await startBot(t, { script: slow });
    chat.send("The first.");
    chat.send("The second.");
    const waits = await shows(chat, /Queued/);
    const why = await chat.press(waits.id, "Why?");
    expect(why).toMatchObject({ showAlert: true });
    expect(why.text).toMatch(/pending, 0 attempts/);
    expect(await chat.press(waits.id, "Withdraw")).toMatchObject({ text: "Withdrawn." });
    await shows(chat, /^Withdrawn/);
  });

  test("Stop ends its own message and never the next one, and a button of an old message says it is over", async (t) => {
    const { chat: group } = await startBot(t, { group: { botIsAdministrator: true }, script: slow });
    group.send("The first.");
    const working = await shows(group, /Working/);
    const [stop = ""] = working.keyboard.flat().flatMap(dataOf);
    expect(await group.press(working.id, "Stop")).toMatchObject({ text: "Stopped." });
    await shows(group, /⏹ Stopped/);
    group.send("The next.");
    await saysIn(group, /The answer is 42/);
    expect(await group.press(working.id, { data: stop })).toMatchObject({ text: "This is no longer open." });
  });

  test("Retry sends a message again that failed for good", async (t) => {
    const script: StubScriptInput = {
      turns: [{ arrival: "refused", steps: [] }],
      always: [{ steps: [{ say: "The answer is 42." }] }],
    };
    const { chat } = await startBot(t, { script });
    chat.send("What is it?");
    const failed = await chat.waitFor(({ messages }) => messages.find((one) => labels(one).includes("Retry")));
    const [retry = ""] = failed.keyboard.flat().flatMap(dataOf);
    expect(await chat.press(failed.id, "Retry")).toMatchObject({ text: "Trying again." });
    await saysIn(chat, /The answer is 42/);
    expect(await chat.press(failed.id, { data: retry })).toMatchObject({ text: "This is no longer open." });
  });
});
