/** Many topics at the same time: the right answers in the right topics, in order. */
import { expect, test } from "vitest";
import { appearances, saysIn, TelegramWorld } from "../support/telegram/telegram-world.ts";

const topicCount = 10;
const messageCount = 20;
const slow = "Take your time.";

test("ten topics with separate workspaces, twenty interleaved messages each, and a stop in two of them", async () => {
  const world = await TelegramWorld.inProcess();
  try {
    const group = world.telegram.supergroup({ topics: true, title: "Work", members: [world.ann] });
    const script = {
      turns: [
        { when: slow, steps: [{ hang: true as const }] },
        { when: slow, steps: [{ hang: true as const }] },
      ],
      always: [{ steps: [{ echo: "Done as you asked: " }] }],
      stepMs: 2,
    };
    const textsIn = appearances(world.telegram, group);
    world.configure({ script, settings: { maxConcurrentTopics: topicCount } }, [group]);
    await world.daemon.up();
    const topics = Array.from({ length: topicCount }, (_, number) => {
      const thread = group.createTopic(`Topic ${number}`);
      return { thread, number, directory: world.repository(`repository-${number}`) };
    });
    // The messages follow immediately, as from a phone that was offline, and must go to the workspace just chosen.
    for (const { thread, directory } of topics) group.send(`use repo ${directory}`, { thread });
    const stopped = topics.filter(({ number }) => number === 3 || number === 7);
    for (const { thread } of stopped) group.send(slow, { thread });
    const textOf = (number: number, round: number) => `Sort file ${round} of topic ${number}.`;
    for (let round = 0; round < messageCount; round++) {
      for (const { thread, number } of topics) group.send(textOf(number, round), { thread });
    }
    for (const { thread } of stopped) {
      await saysIn(group, /Working/, thread);
      group.send("/stop", { thread });
    }
    for (const { thread, number, directory } of topics) {
      const expected = Array.from(
        { length: messageCount },
        (_, round) => `Done as you asked: ${textOf(number, round)}`,
      );
      const last = expected.at(-1) ?? "";
      await group.waitFor(
        ({ messages }) => messages.some((message) => message.thread === thread && message.text === last),
        { timeoutMs: 120_000 },
      );
      const shown = textsIn(thread);
      expect(shown.filter((text) => text.startsWith("Done"))).toEqual(expected);
      const fromTop = group.messages.filter((message) => message.thread === thread && message.text.startsWith("Done"));
      expect(fromTop.map(({ text }) => text)).toEqual(expected);
      expect(shown.filter((text) => text.includes("Stopped"))).toHaveLength(
        stopped.some((one) => one.thread === thread) ? 1 : 0,
      );
      expect(shown[0]).toContain(directory);
    }
    const lanes = new Set(world.daemon.prompts().map(({ lane }) => lane));
    expect(lanes.size).toBe(topicCount);
  } finally {
    await world.dispose();
  }
});
