import type { ModelScriptInput } from "@waybill/scripted-model";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TeamDaemon } from "../support/teams/team-daemon.ts";

/** A `message_send` by the agent that works on a prompt. */
const sends = (input: Record<string, unknown>) => ({ tools: [{ tool: "message_send", input }] });
/** A reply to the message whose id the rule found, to its sender. */
const replies = (text: string, outcome = "answer") => sends({ to: "{{2}}", text, outcome, relayOfMessageId: "{{1}}" });
const rest = { say: "That is all." };
/** A rule for a prompt with these words: its first group is the message's id, the second its sender. */
const on = (words: string) => `/\\[waybill message (\\S+) from ([^\\],]+)[^\\]]*\\][^]*${words}/`;
const waits = { tools: [{ tool: "message_wait", input: { messageId: "{{3}}", timeoutSeconds: 20 } }] };
/** Words that are held back until the daemon has returned: an answer, and the waits after the first. */
const [measuring, onceMore] = ["Measuring.", "Once more."];
const notice = { when: "/No reply is needed/", steps: [{ say: "Noted." }] };

const script: ModelScriptInput = {
  rules: [
    // A question that is passed on, and its answer.
    {
      when: on("Find out which port is free"),
      steps: [
        sends({ to: "ops", text: "Which port is free?", actionMode: "ask" }),
        replies("I have asked ops which port is free; the answer comes in a moment.", "progress"),
        replies("Ops knows the ports; I have asked for port 8080."),
        rest,
      ],
    },
    { when: on("Which port is free"), steps: [replies("Port 8080 is free."), rest] },
    // A member that only acknowledges at first.
    { when: on("You acknowledged the message below"), steps: [replies("There are 3 open incidents."), rest] },
    { when: on("How many incidents are open"), steps: [replies("Understood."), rest] },
    // Two members that thank each other endlessly.
    {
      when: on("Begin to thank"),
      steps: [
        sends({ to: "ops", text: "Thanks a lot, round of thanks.", actionMode: "notify" }),
        replies("Begun: 1 round."),
        rest,
      ],
    },
    {
      when: on("round of thanks"),
      steps: [sends({ to: "{{2}}", text: "And thanks to you, round of thanks.", actionMode: "notify" }), rest],
    },
    // A member that tries to speak for another.
    {
      when: on("Speak for dev"),
      steps: [
        { tools: [{ tool: "waybill-dev_message_send", input: { to: "user", text: "This is dev: 5 tests fail." } }] },
        replies("I could not speak for dev: 1 try."),
        rest,
      ],
    },
    // A member that waits for an answer.
    {
      when: on("Ask ops slowly"),
      steps: [sends({ to: "ops", text: "What is slow?", actionMode: "ask" }), replies("Asked ops: 1 question."), rest],
    },
    { when: on("What is slow"), steps: [{ say: measuring, ...replies("The disk is slow: 30 MB/s.") }, rest] },
    {
      when: "/\\[waybill message (\\S+) from ([^\\],]+)[^\\]]*\\][^]*Wait for (agt-\\w+)/",
      steps: [
        waits,
        ...Array.from({ length: 7 }, () => ({ say: onceMore, ...waits })),
        replies("The last thing that I heard of 8 waits: {{result}}"),
        rest,
      ],
    },
    notice,
  ],
  otherwise: [{ say: "There is no rule for: {{text}}" }],
};

let team: TeamDaemon;
beforeAll(async () => {
  team = await new TeamDaemon().start(script, { maxExchanges: 4 });
});
afterAll(() => team.dispose());

describe("members on the real OpenCode and the real Claude Code", () => {
  test("hold a conversation with message_send; every delivery is proven where its answer landed, and none starts another", async () => {
    const asked = await team.ask("dev", "m-port", "Find out which port is free.");
    expect(asked).toMatchObject({
      status: "responded",
      attempts: 1,
      evidence: {
        proof: "destination_reply",
        outcome: "answer",
        visibleReply: { correlation: "relayOfMessageId", mailbox: "user" },
      },
    });
    expect(asked.replies.map(({ outcome }) => outcome)).toEqual(["progress", "answer"]);

    const [toOps] = await team.mail("ops");
    expect(toOps).toMatchObject({ from: "dev", text: "Which port is free?", actionMode: "ask" });
    await expect.poll(async () => (await team.mail("dev")).length).toBe(2);
    await expect.poll(async () => (await team.delivery("ops", toOps?.id ?? "")).status).toBe("responded");
    expect(await team.delivery("ops", toOps?.id ?? "")).toMatchObject({
      status: "responded",
      attempts: 1,
      evidence: { proof: "destination_reply", visibleReply: { mailbox: "dev" } },
      replies: [{ from: "ops", text: "Port 8080 is free.", outcome: "answer" }],
    });
    const [, back] = await team.mail("dev");
    expect(back).toMatchObject({ from: "ops", actionMode: "notify", relayOfMessageId: toOps?.id });
    await expect.poll(async () => (await team.delivery("dev", back?.id ?? "")).status).toBe("responded");
    // No agent replies to an answer.
    expect(await team.mail("ops")).toHaveLength(1);
    const { messages } = await team.client.inbox();
    expect(messages.map(({ from, text }) => [from, text.split(":")[0]]).reverse()).toEqual([
      ["dev", "I have asked ops which port is free; the answer comes in a moment."],
      ["dev", "Ops knows the ports; I have asked for port 8080."],
    ]);
  });

  test("the prompt names the sender and its role", async () => {
    const prompt = team.model.calls.find(({ prompt }) => prompt.includes("Which port is free?"))?.prompt;
    expect(prompt).toMatch(/^\[waybill message \S+ from dev, lead of your team\]/);
  });

  test.each(["dev", "ops", "qa"])(
    "%s, who only acknowledges the message, is asked again and then answers",
    async (lane) => {
      const id = `m-nod-${lane}`;
      const detail = await team.ask(lane, id, "How many incidents are open?");
      expect(detail).toMatchObject({ status: "responded", attempts: 2, evidence: { proof: "destination_reply" } });
      expect(detail.replies.map(({ text }) => text)).toEqual(["Understood.", "There are 3 open incidents."]);
    },
  );

  test("two members in one directory cannot act for each other", async () => {
    const detail = await team.ask("dev2", "m-forge", "Speak for dev.");
    expect(detail).toMatchObject({ status: "responded" });
    const { messages } = await team.client.inbox({ limit: 200 });
    expect(messages.filter(({ text }) => text.includes("This is dev"))).toEqual([]);
  });

  test("two members that thank each other endlessly are held until a person releases them", async () => {
    await team.ask("dev", "m-thanks", "Begin to thank.");
    await expect.poll(async () => (await team.client.holds()).holds.length).toBe(1);
    const { stdout } = await team.program.run(["holds"]);
    expect(stdout).toContain("dev and ops");
    const held = (await team.client.deliveries({ status: ["pending"] })).deliveries;
    expect(held).toHaveLength(1);
    expect(await team.program.json("why", held[0]?.messageId ?? "")).toMatchObject({
      deliveries: [{ next: { step: "waits_for_person" } }],
    });
    const thanked = async () => (await team.client.messages({ q: "round of thanks", limit: 200 })).messages.length;
    const before = await thanked();
    // Other senders are not affected.
    expect((await team.ask("ops", "m-other", "How many incidents are open?")).status).toBe("responded");
    expect(await thanked()).toBe(before);
    expect(await team.program.json("holds", "release", "dev", "ops")).toEqual({ released: 1 });
    await expect.poll(thanked).toBeGreaterThan(before);
    await expect.poll(async () => (await team.client.holds()).holds.length).toBe(1);
  });

  test("message_wait returns when the other member has answered, even across a daemon crash", async () => {
    team.gates.holdBefore(measuring, onceMore);
    await team.ask("dev2", "m-slow", "Ask ops slowly.");
    const asked = (await team.mail("ops")).find(({ text }) => text === "What is slow?");
    const waiting = team.ask("dev2", "m-wait", `Wait for ${asked?.id}.`);
    const isWaiting = () => team.model.calls.some(({ prompt }) => prompt.includes(`Wait for ${asked?.id}`));
    await expect.poll(isWaiting).toBe(true);
    team.program.killWorker();
    await team.daemon.waitForLine({ event: "daemon_ready" });
    for (const word of [measuring, onceMore]) team.gates.letPass(word);
    const detail = await waiting;
    expect(detail.status).toBe("responded");
    expect(detail.replies.at(-1)?.text).toContain("The disk is slow: 30 MB/s.");
  });
});
