/** Events of a real daemon through the client: followed, cut off, killed in mid-turn, taken up again. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FollowedEvent } from "../../src/client/index.ts";
import { WaybillClient } from "../../src/client/index.ts";
import { Program } from "../support/program.ts";

/** While the daemon starts it has no address. */
const nobody = "http://127.0.0.1:9";

let program: Program;
beforeAll(async () => {
  program = new Program();
  const steps = [{ say: "Looking." }, { wait: 1000 }, { tool: "bash", output: "3" }, { say: "Done: 3 files." }];
  program.configure({ slow: { always: [{ steps }] } });
  await program.up();
});
afterAll(() => program.dispose());

test("a worker that is killed in mid-turn leaves one turn with one end, and whoever follows misses nothing", async () => {
  const client = new WaybillClient({ url: () => program.daemonFile.url ?? nobody, token: program.token });
  const seen: FollowedEvent[] = [];
  const onOpen = () => void client.send({ to: { lane: "slow" }, text: "Tidy up.", messageId: "m1" });
  for await (const event of client.followEvents({ lane: "slow", onOpen })) {
    seen.push(event);
    if (event.type === "turn.started") process.kill(program.daemonFile.workerPid ?? 0, "SIGKILL");
    if (event.type === "turn.ended") break;
  }
  const kept = seen.filter(({ type }) => type !== "item.delta");
  expect(kept.map((event) => event.type !== "reset" && event.seq)).toEqual(kept.map((_, index) => index + 1));
  const { events } = await client.events({ lane: "slow" });
  const types = events.map(({ event }) => event.type).filter((type) => type.startsWith("turn."));
  expect(types).toEqual(["turn.started", "turn.ended"]);
  expect(events.at(-1)?.event).toMatchObject({ type: "turn.ended", data: { reason: "completed" } });
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
});
