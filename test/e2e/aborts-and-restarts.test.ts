/** The daemon is killed as soon as an abort was answered: an aborted turn must not continue after the restart. */
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import type { KilledAgent } from "../support/agents/agent-kills.ts";
import { ModelProcess } from "../support/agents/model-process.ts";
import { killedClaude } from "../support/claude/claude-kills.ts";
import { freePort } from "../support/daemon/free-port.ts";
import { Program } from "../support/daemon/program.ts";
import { killedOpencode } from "../support/opencode/opencode-kills.ts";
import { OpencodeSession } from "../support/opencode/opencode-session.ts";
import { killedPi } from "../support/pi/pi-kills.ts";

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});

const lastWords = "and this is the end.";
const quick = "Done, 1 file.";
/** Longer than any machine takes from the prompt to the abort, or to the next start of the daemon. */
const turnMs = 60_000;

async function stubProgram(): Promise<Program> {
  const program = new Program({ PORT: String(await freePort()) });
  undo.push(() => program.dispose());
  program.configure({
    lane: { always: [{ when: "quick", steps: [{ say: quick }] }, { steps: [{ wait: turnMs }, { say: lastWords }] }] },
  });
  return program;
}

const programOf = (agent: KilledAgent) => async (): Promise<Program> => {
  const program = new Program({ PORT: String(await freePort()) });
  const model = new ModelProcess({
    rules: [{ when: "quick", steps: [{ say: quick }] }, { steps: [{ say: lastWords, waitMs: turnMs }] }],
  });
  undo.push(
    () => model.close(),
    () => program.dispose(),
  );
  await agent.configure(program, await model.url);
  return program;
};

async function sessionOf(program: Program): Promise<OpencodeSession> {
  const at = { url: `${program.daemonFile.url}/opencode`, authorization: `Bearer ${program.token}` };
  const session = await new OpencodeSession(at, program.work).open("ses_lane");
  undo.push(() => session.close());
  return session;
}

/** The outcome of each prompt, oldest first. A message sent now gets its turn once the lane is free. */
async function ends(program: Program): Promise<string[]> {
  const client = program.client();
  const { deliveryId } = await client.send({ to: { lane: "lane" }, text: "quick" });
  await client.wait(deliveryId);
  const { deliveries } = await client.deliveries({ lane: "lane" });
  return deliveries.map(({ status }) => status).reverse();
}

describe.each([
  ["stub", stubProgram, [0, 30, 300]],
  ["OpenCode", programOf(killedOpencode), [0, 400]],
  // While its program starts, and during its turn.
  ["Claude Code", programOf(killedClaude), [0, 500, 2500]],
  ["pi", programOf(killedPi), [0, 500, 2500]],
] as const)("%s", (_, configured, moments) => {
  test("an aborted turn does not continue after a restart", async () => {
    const program = await configured();
    for (const moment of moments) {
      await program.up();
      const session = await sessionOf(program);
      await session.prompt(`works ${moment}`);
      await wait(moment);
      await session.abort();
      await program.kill();
      await session.close();
    }
    await program.up();
    expect(await ends(program)).toEqual([...moments.map(() => "cancelled"), "responded"]);
    const messages = await (await sessionOf(program)).messages();
    const answers = messages.flatMap(({ info }) => (info.role === "assistant" ? [info.error?.name ?? "no error"] : []));
    expect(messages.length - answers.length).toBe(moments.length + 1);
    expect(answers).toEqual([...moments.map(() => "MessageAbortedError"), "no error"]);
    expect(JSON.stringify(messages)).not.toContain(lastWords);
  });
});
