/**
 * What a person sees of a running turn in the chat: a real daemon, real grammY, and a Bot API on loopback.
 * Each test has its own, because most of them wait for something.
 */

import type { ChatHandle } from "@waybill/fake-bot-api";
import { describe, expect, test } from "vitest";
import type { StubScriptInput } from "../../src/runtimes/stub/script.ts";
import type { StartedBot } from "../support/telegram/telegram-world.ts";
import { botTexts, saysIn, startBot } from "../support/telegram/telegram-world.ts";

const words = ["One two ", "three ", "four."];
/** Thinks for a while, then says more every 700 ms. */
const slowly: StubScriptInput = {
  always: [{ steps: [{ wait: 1500 }, ...words.flatMap((say) => [{ say }, { wait: 700 }]), { say: "" }] }],
};
/** Says each word when the gate of that name is open. */
const whenTold: StubScriptInput = { always: [{ steps: words.flatMap((say) => [{ until: say.trim() }, { say }]) }] };
const hangs: StubScriptInput = { always: [{ steps: [{ say: "I begin." }, { hang: true }] }] };
/** The tool runs until the gate "tested" is open. */
const usesBash: StubScriptInput = {
  always: [
    {
      steps: [
        { tool: "bash", input: { command: "npm test" }, until: "tested", showsRunning: true },
        { say: "All 12 pass." },
      ],
    },
  ],
};

const drafts = ({ telegram }: StartedBot["world"]) =>
  telegram.calls("sendRichMessageDraft").map(({ params }) => (params.rich_message as { markdown: string }).markdown);

describe.concurrent("a private chat", () => {
  test("the answer streams as a draft and ends as one rich message", async (t) => {
    const { world, chat } = await startBot(t, { script: whenTold });
    const sent = chat.send("Count.");
    await chat.waitFor(({ draft }) => draft?.canStop && draft.text === "");
    world.daemon.openGate("One two");
    await chat.waitFor(({ draft }) => draft?.text === "One two");
    world.daemon.openGate("three");
    await chat.waitFor(({ draft }) => draft?.text === "One two three");
    world.daemon.openGate("four.");
    await saysIn(chat, /four/);
    expect(botTexts(chat)).toEqual(["One two three four."]);
    expect(chat.messages.at(-1)?.rich).toBeDefined();
    expect(chat.messages.find(({ id }) => id === sent.message_id)?.reactions).toEqual(["👀"]);
    const shown = drafts(world);
    expect(shown[0]).toBe("");
    expect(shown.length).toBeGreaterThan(2);
    for (const [index, text] of shown.entries()) expect(text.startsWith(shown[index - 1] ?? "")).toBe(true);
    const answered = world.telegram.calls("sendRichMessage").at(-1)?.id ?? 0;
    expect(world.telegram.calls("sendRichMessageDraft").every(({ id }) => id < answered)).toBe(true);
    expect(chat.draft).toBeUndefined();
  });

  test("the native stop button ends the turn and says so", async (t) => {
    const { world, chat } = await startBot(t, { script: hangs });
    chat.send("Begin.");
    await chat.waitFor(({ draft }) => draft?.text === "I begin.");
    chat.stopDraft();
    await saysIn(chat, /Stopped/);
    const [delivery] = (await world.daemon.client().deliveries({})).deliveries;
    expect(delivery).toMatchObject({ status: "cancelled" });
    expect(botTexts(chat)).toEqual(["⏹ Stopped."]);
    expect(chat.draft).toBeUndefined();
  });

  test("progress is shown on schedule, names the tool, stops after three, and is removed with the answer", async (t) => {
    const settings = { progressFirstMs: 1200, progressEveryMs: 400 };
    const { world, chat } = await startBot(t, { script: usesBash, settings });
    const isProgress = ({ params }: { params: Record<string, unknown> }) =>
      JSON.stringify(params).includes("Still working");
    const reportsIn = ({ telegram }: typeof world) =>
      [...telegram.calls("sendRichMessage"), ...telegram.calls("editMessageText")].filter(isProgress);
    const sentAt = Date.now();
    chat.send("Test it.");
    expect(await saysIn(chat, /Still working/)).toMatch(/^⏳ Still working \(\d s\): bash `npm test`$/);
    await t.expect.poll(() => reportsIn(world).length).toBe(3);
    // Time enough for more.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    world.daemon.openGate("tested");
    await saysIn(chat, /All 12 pass/);
    await chat.waitFor(({ messages }) => messages.every(({ text }) => !text.includes("Still working")));
    expect(botTexts(chat)).toEqual(["All 12 pass."]);
    const reports = reportsIn(world);
    expect(reports).toHaveLength(3);
    // A slow machine may report late, but none reports early.
    for (const [index, { at }] of reports.entries()) expect(at - sentAt).toBeGreaterThanOrEqual(1200 + index * 400);
  });

  test("a 429 for a preview delays nothing else", async (t) => {
    const { world, chat } = await startBot(t, { script: slowly });
    world.telegram.fail({ method: "sendRichMessageDraft", with: { type: "tooManyRequests", retryAfterS: 30 } });
    chat.send("Count.");
    await saysIn(chat, /four/);
    expect(botTexts(chat)).toEqual(["One two three four."]);
    expect(drafts(world)).toHaveLength(1);
  });

  test("a preview that hangs delays the answer by a few seconds at most", async (t) => {
    const { world, chat } = await startBot(t, { script: slowly });
    const { telegram } = world;
    telegram.fail({ method: "sendRichMessageDraft", with: { type: "hang", when: "before" } });
    chat.send("Count.");
    await saysIn(chat, /four/);
    const [hung] = telegram.calls("sendRichMessageDraft");
    const [answered] = telegram.calls("sendRichMessage");
    expect(hung?.outcome).toEqual({ type: "lost" });
    // 4 s on an idle machine. With the limit of other calls it would be 30 s.
    expect((answered?.at ?? 0) - (hung?.at ?? 0)).toBeLessThan(20_000);
  });

  test("a turn that takes longer than relayTimeoutMs is reported as late and does not fail", async (t) => {
    const { world, chat } = await startBot(t, { script: usesBash, settings: { relayTimeoutMs: 300 } });
    chat.send("Test it.");
    await saysIn(chat, /taking longer than usual/);
    world.daemon.openGate("tested");
    await saysIn(chat, /All 12 pass/);
  });

  test("an answer ends with the time and the cost of its own turn", async (t) => {
    const script = { always: [{ steps: [{ uses: { tokens: 10, cost: 0.25 } }, { say: "It is done." }] }] };
    const { chat } = await startBot(t, { script, settings: { telegramFooter: true } });
    chat.send("First.");
    await saysIn(chat, /done/);
    chat.send("Second.");
    const answers = await chat.waitFor(() => botTexts(chat).length === 2 && botTexts(chat));
    for (const answer of answers) expect(answer).toMatch(/^It is done\.\n\n_\d s · \$0\.25_$/);
  });
});

describe.concurrent("a group", () => {
  test("one message is edited, at most once a second, and becomes the answer", async (t) => {
    const { world, chat: group } = await startBot(t, { group: {}, script: whenTold });
    group.send("Count.");
    await saysIn(group, /^▶️ Working…$/);
    expect(
      group.messages
        .at(-1)
        ?.keyboard.flat()
        .map(({ text }) => text),
    ).toEqual(["Stop"]);
    for (const word of words) {
      world.daemon.openGate(word.trim());
      await saysIn(group, new RegExp(word.trim()));
    }
    expect(botTexts(group)).toEqual(["One two three four."]);
    await group.waitFor(({ messages }) => messages.at(-1)?.keyboard.length === 0);
    const edits = world.telegram.calls("editMessageText");
    expect(edits.length).toBeGreaterThan(1);
    const previews = edits.slice(0, -1);
    for (const [index, { at }] of previews.entries()) {
      expect(at - (previews[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(990);
    }
  });

  test("the running tool is shown below the text, and progress in the same message", async (t) => {
    const { world, chat: group } = await startBot(t, {
      group: {},
      script: usesBash,
      settings: { progressFirstMs: 1200 },
    });
    group.send("Test it.");
    // In any order: the preview may come a second after the tool has started.
    await Promise.all([
      saysIn(group, /^▶️ Working…\n\n⏳ bash `npm test`$/),
      saysIn(group, /^⏳ Still working \([1-9]\d* s\): bash `npm test`$/),
    ]);
    world.daemon.openGate("tested");
    await saysIn(group, /All 12 pass/);
    expect(botTexts(group)).toEqual(["All 12 pass."]);
  });

  test("a failed turn leaves no Working message", async (t) => {
    const { chat: group } = await startBot(t, { group: {}, script: { always: [{ arrival: "refused" }] } });
    group.send("Begin.");
    await saysIn(group, /⚠️/);
    expect(botTexts(group).filter((text) => /Working|Asked again/.test(text))).toEqual([]);
  });
});

describe.concurrent("waiting messages", () => {
  test("a waiting message shows why, and its notice is removed when it starts", async (t) => {
    const script = {
      turns: [{ when: "First", steps: [{ until: "asked" }, { say: "That was 1." }] }],
      always: [{ steps: [{ say: "That was 2." }] }],
    };
    const { world, chat } = await startBot(t, { script });
    chat.send("First.");
    await chat.waitFor(({ draft }) => draft);
    const second = chat.send("Second.");
    await saysIn(chat, /^⏳ Queued: an earlier message is being worked on\.$/);
    const sign = chat.messages.at(-1);
    expect(sign?.replyTo).toBe(second.message_id);
    expect(sign?.keyboard.flat().map(({ text }) => text)).toEqual(["Why?", "Withdraw"]);
    world.daemon.openGate("asked");
    await saysIn(chat, /That was 2/);
    expect(botTexts(chat)).toEqual(["That was 1.", "That was 2."]);
  });

  test("no more topics run than maxConcurrentTopics allows, and the next starts when one ends", async (t) => {
    const asks = { ask: "permission", title: "bash: make" } as const;
    const script = {
      always: [{ when: "First", steps: [asks, { say: "That was 1." }] }, { steps: [{ say: "That was 2." }] }],
    };
    const settings = { maxConcurrentTopics: 1 };
    const { world, chat: group } = await startBot(t, { group: { topics: true }, script, settings });
    const [one, two] = [group.createTopic("One"), group.createTopic("Two")];
    group.send("First.", { thread: one });
    await saysIn(group, /Working/, one);
    await saysIn(group, /bash: make/, one);
    group.send("Second.", { thread: two });
    await saysIn(group, /^⏳ Queued: the limit of topics working at the same time is reached\.$/, two);
    expect(world.daemon.prompts()).toHaveLength(1);
    const client = world.daemon.client();
    const [open] = (await client.asks()).asks;
    await client.answer(open?.id ?? "", { decision: "once" });
    await saysIn(group, /That was 1/, one);
    await saysIn(group, /That was 2/, two);
    expect(botTexts(group)).toEqual(["That was 1.", expect.stringContaining("bash: make"), "That was 2."]);
  });
});

describe.concurrent("long answers", () => {
  const paragraph = `${"A line of prose that is not short. ".repeat(20)}\n\n`;
  const code = `\`\`\`ts\n${"const answer: number = 42; // and so on\n".repeat(180)}\`\`\`\n\n`;
  /** Resolves when the last part is in the chat, and the preview, which may also show it, is not. */
  const isWhole = (chat: ChatHandle) =>
    chat.waitFor(
      ({ messages }) =>
        messages.some(({ text }) => /\((\d)\/\1\)$/.test(text)) &&
        messages.every(({ keyboard }) => keyboard.length === 0),
    );

  test("on an old server the answer is plain, in order, and every part closes its fences", async (t) => {
    const script = {
      always: [{ steps: [{ say: "Soon." }, { until: "shown" }, { say: `\n\n${paragraph}${code}The end.` }] }],
    };
    const { world, chat } = await startBot(t, { script, api: { botApiVersion: "old" } });
    chat.send("Write.");
    await saysIn(chat, /^▶️ Working…$/);
    await saysIn(chat, /^Soon\.$/);
    world.daemon.openGate("shown");
    await isWhole(chat);
    const parts = chat.messages.filter(({ isFromBot }) => isFromBot);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.at(-1)?.text).toContain("The end.");
    expect(parts.map(({ text }) => /\((\d)\/\d\)$/.exec(text)?.[1])).toEqual(
      parts.map((_, index) => String(index + 1)),
    );
    for (const { text, rich } of parts) {
      expect(rich).toBeUndefined();
      const fences = text.match(/^```.*$/gm) ?? [];
      expect(fences).toEqual(text.includes("const answer") ? ["```ts", "```"] : []);
    }
  });

  test("an answer of more than eight parts continues as a file", async (t) => {
    const script = { always: [{ steps: [{ say: `${paragraph.repeat(60)}The end.` }] }] };
    const { chat } = await startBot(t, { script, api: { botApiVersion: "old" } });
    chat.send("Write.");
    const { file } = await chat.waitFor(({ messages }) => messages.find((message) => message.file));
    expect(file?.name).toBe("answer.md");
    expect(file?.bytes.toString()).toMatch(/The end\.$/);
    expect(chat.messages.filter(({ isFromBot, file: none }) => isFromBot && !none)).toHaveLength(8);
  });

  test("an answer of 4,096 emoji arrives whole", async (t) => {
    const emoji = "👩‍🚀".repeat(4096);
    const { chat } = await startBot(t, {
      script: { always: [{ steps: [{ say: emoji }] }] },
      api: { botApiVersion: "old" },
    });
    chat.send("Write.");
    await isWhole(chat);
    const text = botTexts(chat).map((part) => part.replace(/ ?\(\d\/\d\)$/, "").trim());
    expect(text.join("")).toBe(emoji);
  });
});
