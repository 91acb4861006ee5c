/** What counts as an answer, on the real OpenCode and the real Claude Code with scripted models. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelScriptInput } from "@waybill/scripted-model";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postMessageWith } from "../../src/mail/agent-mail.ts";
import type { AgentWorld } from "../support/agents/agent-world.ts";
import { ClaudeLanes } from "../support/claude/claude-lanes.ts";
import { OpencodeWorld } from "../support/opencode/opencode-world.ts";
import { MailOffice } from "../support/teams/mail-office.ts";

const lanes = [{ contract: "tool" as const }];
/** Waybill's own entry for the lane, as both programs know it. */
const server = "waybill-lane";

function opencode(office: MailOffice): AgentWorld {
  const mcp = { [server]: { type: "local", command: office.command, enabled: true } };
  return new OpencodeWorld({ lanes, config: { mcp, permission: "allow" } });
}

function claude(office: MailOffice): AgentWorld {
  const mcpConfigPath = join(office.directory, "mcp.json");
  const [command, ...args] = office.command;
  writeFileSync(mcpConfigPath, JSON.stringify({ mcpServers: { [server]: { command, args } } }));
  const world = new ClaudeLanes({ lanes, claude: { mcpConfigPath } });
  mkdirSync(join(world.home, ".claude"), { recursive: true });
  const permissions = { allow: [`mcp__${server}__message_send`, "Bash"] };
  writeFileSync(join(world.home, ".claude", "settings.json"), JSON.stringify({ permissions }));
  return world;
}

type Steps = NonNullable<NonNullable<ModelScriptInput["rules"]>[number]["steps"]>;

describe.each([
  ["OpenCode", opencode, "bash"],
  ["Claude Code", claude, "Bash"],
] as const)("on %s", (_, makeWorld, shell) => {
  const office = new MailOffice();
  let world: AgentWorld;
  beforeAll(async () => {
    await office.open();
    world = await makeWorld(office).start();
    office.deliver = postMessageWith(world.waybill);
  });
  afterAll(async () => {
    await world.dispose();
    await office.close();
  });

  const sends = (id: string, text: string) => ({
    tools: [{ tool: "message_send", input: { to: "user", text, relayOfMessageId: id, outcome: "answer" } }],
  });
  const runs = (command: string) => ({ tools: [{ tool: shell, input: { command, description: "Runs it" } }] });
  /** The turns of the message and of the retry. Claude Code asks its model once more if there is no visible output. */
  const turns = (text: string, first: Steps, retried: Steps = []) =>
    world.script({
      rules: [
        { when: "(prompt 2 of 3 for", steps: retried },
        { when: text, steps: first },
      ],
      otherwise: first.slice(-1),
    });

  test("a failed send followed by “I have replied” is retried with the error quoted, and then answered", async () => {
    office.refusal = "The mailbox is full.";
    const reply = sends("failed", "The port is 8080.");
    turns("Which port?", [reply, { say: "I have replied." }], [reply, { say: "Sent." }]);
    await world.send("failed", "Which port?");
    const record = await world.reaches("failed", "responded", "failed_terminal");
    expect(record).toMatchObject({ status: "responded", attempts: 2, proof: { by: "destination_reply" } });
    expect(record.attemptList[1]?.because).toMatch(/^reply_not_delivered: .*The mailbox is full\./);
    expect(world.turns("did not arrive: ")).toBe(1);
    expect(await world.answers()).toEqual(["The port is 8080."]);
  });

  test("a send that arrived counts, although its tool reported a failure", async () => {
    office.failsAfterwards = true;
    turns("the other port", [sends("reset", "The port is 8443."), { say: "It did not work." }]);
    await world.send("reset", "And the other port?");
    const record = await world.reaches("reset", "responded");
    expect(record).toMatchObject({ attempts: 1, proof: { by: "destination_reply", outcome: "answer" } });
  });

  test("a turn of invisible characters is an empty turn", async () => {
    turns("Once more", [{ say: "\u200b\u2060\u200b" }], [{ say: "The port is 8080." }]);
    await world.send("invisible", "Once more: which port?");
    const record = await world.reaches("invisible", "responded", "failed_terminal");
    expect(record).toMatchObject({ status: "responded", attempts: 2 });
    expect(record.attemptList[1]?.because).toBe("empty_assistant_turn");
    expect((await world.answers()).at(-1)).toBe("The port is 8080.");
  });

  test("a shell command that exits with 1, without any text, does not close a `do`", async () => {
    turns("Run the check", [runs("exit 1"), {}], [runs("true"), { say: "It runs now: exit code 0." }]);
    await world.send("shell", "Run the check.", { actionMode: "do" });
    const record = await world.reaches("shell", "responded", "failed_terminal");
    expect(record.status).toBe("responded");
    expect(record.attemptList.map(({ because }) => because)).toEqual([null, "work_failed"]);
  });

  test("a command that times out is not work either", async () => {
    const timeout = { command: "sleep 20", description: "Waits", timeout: 1000 };
    const call = { tools: [{ tool: shell, input: timeout }] };
    turns("slow check", [call, {}], [{ say: "The check waits for a lock: 1 holder." }]);
    await world.send("slow", "Run the slow check.", { actionMode: "do" });
    const record = await world.reaches("slow", "responded", "failed_terminal");
    expect(record.attemptList.map(({ because }) => because)).toEqual([null, "work_failed"]);
  });
});
