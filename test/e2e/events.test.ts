/** Following the events of a real daemon with the client, through disconnects, a kill mid-turn, and restarts. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FollowedEvent } from "../../src/client/index.ts";
import { WaybillClient } from "../../src/client/index.ts";
import { Program } from "../support/daemon/program.ts";
import { openTerminal } from "../support/daemon/terminal.ts";
import { opencodeEnvironment } from "../support/opencode/opencode-server.ts";

/** The address while the daemon starts and has none. */
const nobody = "http://127.0.0.1:9";

let program: Program;
beforeAll(async () => {
  program = new Program();
  const steps = [{ say: "Looking." }, { wait: 1000 }, { tool: "bash", output: "3" }, { say: "Done: 3 files." }];
  program.configure({ slow: { always: [{ steps }] } });
  await program.up();
});
afterAll(() => program.dispose());

test("a worker that is killed mid-turn leaves one turn with one end, and followers miss nothing", async () => {
  const client = new WaybillClient({ url: () => program.daemonFile.url ?? nobody, token: program.token });
  const seen: FollowedEvent[] = [];
  const onOpen = () => void client.send({ to: { lane: "slow" }, text: "Tidy up.", messageId: "m1" });
  for await (const event of client.followEvents({ lane: "slow", onOpen })) {
    seen.push(event);
    if (event.type === "turn.started") program.killWorker();
    if (event.type === "turn.ended") break;
  }
  const kept = seen.filter(({ type }) => type !== "item.delta");
  expect(kept.map((event) => event.type !== "reset" && event.seq)).toEqual(kept.map((_, index) => index + 1));
  const { events } = await client.events({ lane: "slow" });
  const turns = events.map(({ event }) => event).filter(({ type }) => type.startsWith("turn."));
  expect(turns).toMatchObject([{ type: "turn.started" }, { type: "turn.ended", data: { reason: "completed" } }]);
});

test("the command line follows a turn to its end", async () => {
  const following = program.run(["follow", "slow", "--once"], {
    onOutput: (text) => {
      if (text.includes("Following")) {
        void program.client().send({ to: { lane: "slow" }, text: "Again.", messageId: "m2" });
      }
    },
  });
  const { code, stdout } = await following;
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /turn 2\n[\s\S]*Looking\.\n[\s\S]*done bash[\s\S]*Done: 3 files\.\n[\s\S]*the turn ended: completed/,
  );
  // The turn is over, so there is nothing to wait for.
  const { code: codeOfKept, stdout: kept } = await program.run(["follow", "slow", "--all", "--once"]);
  expect([codeOfKept, kept.match(/turn \d\n/g)]).toEqual([0, ["turn 1\n", "turn 2\n"]]);
});

test("OpenCode's own terminal opens on a lane, and text typed there is a message like any other", async () => {
  const home = opencodeEnvironment(join(program.directory, "terminal-home"));
  const env = { ...program.env, ...home };
  const terminal = openTerminal({ ...program.command("attach", "slow"), env, cwd: program.directory });
  try {
    await terminal.waitFor("Done: 3 files.");
    terminal.type("Once more.");
    await terminal.waitFor("Once more.");
    const client = program.client();
    const said: unknown[] = [];
    for await (const event of client.followEvents({ lane: "slow", onOpen: () => terminal.press("enter") })) {
      if (event.type === "item.started" && event.data.item.name === "delivery") said.push(event.data.item.parts);
      if (event.type === "item.completed" && event.data.item.name === "delivery") break;
    }
    expect(said).toMatchObject([[{ value: { text: "Once more." } }]]);
    await terminal.waitFor(/Once more\.[\s\S]*Done: 3 files\./);
    terminal.press("ctrl-c");
    expect(await terminal.exited).toBe(0);
  } finally {
    await terminal.close();
  }
});

test("an unknown lane opens no terminal", async () => {
  const { code, stderr } = await program.run(["attach", "nowhere"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('There is no lane "nowhere"')]);
});
