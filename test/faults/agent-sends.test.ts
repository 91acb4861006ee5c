import { expect, onTestFinished, test } from "vitest";
import { TeamDaemon } from "../support/team-daemon.ts";

/** So many that a worker which is started anew does not come to the fail point again. */
const before = 5;

const other = { dev: "ops", ops: "dev" };

/** The agent is to ask the other one; its first call meets the crash, and it calls again like any model that sees an error. */
const script = (lane: keyof typeof other) => {
  const question = {
    tools: [{ tool: "message_send", input: { to: other[lane], text: "Which port?", actionMode: "ask" } }],
  };
  const reply = (text: string) => ({
    tools: [{ tool: "message_send", input: { to: "{{2}}", text, outcome: "answer", relayOfMessageId: "{{1}}" } }],
  });
  const from = "\\[waybill message (\\S+) from ([^\\],]+)[^\\]]*\\]";
  return {
    rules: [
      {
        when: `/${from}[^]*Ask for the port/`,
        steps: [
          question,
          { ...question, waitMs: 4000 },
          { ...question, waitMs: 2000 },
          { ...reply("Asked for port 8080."), waitMs: 1000 },
          { say: "That is all." },
        ],
      },
      { when: `/${from}[^]*Which port/`, steps: [reply("Port 8080."), { say: "That is all." }] },
    ],
    otherwise: [{ say: "Noted." }],
  };
};

test.each([
  ["OpenCode", "dev", "before_commit"],
  ["OpenCode", "dev", "after_commit"],
  ["Claude Code", "ops", "before_commit"],
  ["Claude Code", "ops", "after_commit"],
] as const)(
  "a message that an agent on %s (%s) sends exists once when the daemon is killed at %s of its call",
  async (_, lane, moment) => {
    const team = new TeamDaemon();
    onTestFinished(() => team.dispose());
    await team.start(script(lane), {}, { WAYBILL_FAIL_POINT: `${moment}.admitted@${before + 2}` });
    await team.client.pauseLane("dev2");
    for (let n = 1; n <= before; n++) await team.client.send({ to: { lane: "dev2" }, text: `Message ${n}.` });
    const { deliveryId } = await team.client.send({ to: { lane }, text: "Ask for the port." });
    await team.daemon.waitForLine({ event: "daemon_ready" });
    expect((await team.client.wait(deliveryId)).status).toBe("responded");
    const sent = (await team.mail(other[lane])).filter(({ text }) => text === "Which port?");
    expect(sent).toHaveLength(1);
    await expect.poll(async () => (await team.delivery(other[lane], sent[0]?.id ?? "")).status).toBe("responded");
  },
);
