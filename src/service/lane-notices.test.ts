import { expect, test } from "vitest";
import { serviceOf } from "../../test/support/daemon/service-of.ts";
import type { WorldOptions } from "../../test/support/daemon/waybill.ts";
import { startWorld } from "../../test/support/daemon/waybill.ts";
import type { AgentChoice, Runtime } from "../runtimes/port.ts";

/** A program that knows the agents in `known`, or cannot be reached. */
async function serviceWith(options: WorldOptions, program: { known: readonly string[] | null }) {
  const world = await startWorld(options);
  const runtime = world.waybill.runtimes.get("stub") as Runtime;
  const asked: (string | null)[] = [];
  runtime.checkChoice = async ({ agent }: AgentChoice) => {
    asked.push(agent);
    if (program.known === null) throw new Error("The program does not answer.");
    if (agent === null || program.known.includes(agent)) return null;
    return { code: "agent_unknown", message: `There is no agent "${agent}". Known: ${program.known.join(", ")}.` };
  };
  return { asked, world, service: serviceOf(world.waybill, () => world.clock.now()) };
}

const lane = {
  id: "new",
  displayName: null,
  team: null,
  member: null,
  runtime: "stub",
  directory: "/tmp",
  agent: "plan",
  model: null,
  contract: "text",
} as const;
const codes = (notices: readonly { code: string }[]) => notices.map(({ code }) => code);

test("lanes with an agent that the program does not know have a notice from the start", async () => {
  const lanes = [{}, { id: "right", agent: "plan" }, { id: "wrong", agent: "nobody" }];
  const { service, asked } = await serviceWith({ lanes }, { known: ["plan"] });
  const notices = new Map((await service.lanes()).map((state) => [state.lane.id, codes(state.notices)]));
  expect(Object.fromEntries(notices)).toEqual({ lane: [], right: [], wrong: ["agent_unknown"] });
  expect(await service.readiness()).toEqual({ ready: true, degraded: true, reasons: ["agent_unknown:stub"] });
  // Only lanes that name an agent or a model are checked, and once.
  expect(asked.toSorted()).toEqual(["nobody", "plan"]);
});

test("a notice disappears when the program knows the agent, or the lane names another one", async () => {
  const program = { known: ["plan"] };
  const lanes = [{}, { id: "wrong", agent: "nobody" }, { id: "other", agent: "nobody" }];
  const { world, service } = await serviceWith({ lanes }, program);
  expect(codes((await service.lane("wrong")).notices)).toEqual(["agent_unknown"]);
  expect(codes((await service.putLane({ ...lane, id: "other" })).notices)).toEqual([]);
  program.known = ["plan", "nobody"];
  expect(codes((await service.lane("wrong")).notices)).toEqual(["agent_unknown"]);
  await world.clock.advance(30_000);
  expect(codes((await service.lane("wrong")).notices)).toEqual([]);
});

test("a lane with an unknown agent is refused, and an existing one stays unchanged", async () => {
  const { service } = await serviceWith({}, { known: ["plan"] });
  await service.putLane(lane);
  await expect(service.putLane({ ...lane, agent: "nobody" })).rejects.toMatchObject({
    code: "lane_invalid",
    message: expect.stringMatching(/"nobody".*plan/),
  });
  expect((await service.lane("new")).lane.agent).toBe("plan");
});

test("while the program cannot be reached, a lane is accepted, and the notice comes later", async () => {
  const program: { known: string[] | null } = { known: null };
  const { service } = await serviceWith({}, program);
  expect((await service.putLane({ ...lane, agent: "nobody" })).notices).toEqual([]);
  program.known = ["plan"];
  expect(codes((await service.lane("new")).notices)).toEqual(["agent_unknown"]);
});

test("a lane with an unknown runtime is refused, with the closest name as a hint", async () => {
  const { service } = await serviceWith({}, { known: [] });
  await expect(service.putLane({ ...lane, runtime: "stubb" })).rejects.toMatchObject({
    code: "runtime_unknown",
    hint: 'Did you mean "stub"?',
  });
});
