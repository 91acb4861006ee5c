/** The daemon is killed in the middle of a call by which an agent sends a message to another one. */
import { expect, onTestFinished } from "vitest";
import { TeamDaemon } from "../teams/team-daemon.ts";

export type KilledSend = readonly [program: string, lane: "dev" | "ops", moment: "before_commit" | "after_commit"];

export const killedSends: readonly KilledSend[] = [
  ["OpenCode", "dev", "before_commit"],
  ["OpenCode", "dev", "after_commit"],
  ["Claude Code", "ops", "before_commit"],
  ["Claude Code", "ops", "after_commit"],
];

/** Enough that a restarted worker does not reach the fail point again. */
const before = 5;

const other = { dev: "ops", ops: "dev" };

/** What the agent says before it calls again. The test holds it back until the daemon has returned. */
const again = "Again";

/**
 * The agent asks the other one. Its first call meets the crash, and it calls again like any model that sees an error.
 */
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
        steps: [question, { say: again, ...question }, reply("Asked for port 8080."), { say: "That is all." }],
      },
      { when: `/${from}[^]*Which port/`, steps: [reply("Port 8080."), { say: "That is all." }] },
    ],
    otherwise: [{ say: "Noted." }],
  };
};

export async function expectSentOnce([, lane, moment]: KilledSend): Promise<void> {
  const team = new TeamDaemon();
  onTestFinished(() => team.dispose());
  await team.start(script(lane), {}, { WAYBILL_FAIL_POINT: `${moment}.admitted@${before + 2}` });
  team.gates.holdBefore(again);
  await team.client.pauseLane("dev2");
  for (let n = 1; n <= before; n++) await team.client.send({ to: { lane: "dev2" }, text: `Message ${n}.` });
  const { deliveryId } = await team.client.send({ to: { lane }, text: "Ask for the port." });
  await team.gates.reached(again);
  await team.daemon.waitForLine({ event: "daemon_ready" });
  team.gates.letPass(again);
  expect((await team.client.wait(deliveryId)).status).toBe("responded");
  const sent = (await team.mail(other[lane])).filter(({ text }) => text === "Which port?");
  expect(sent).toHaveLength(1);
  await expect.poll(async () => (await team.delivery(other[lane], sent[0]?.id ?? "")).status).toBe("responded");
}
