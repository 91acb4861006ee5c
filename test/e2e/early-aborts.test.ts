/** Aborts from OpenCode's clients at any moment after a prompt, on every agent. */
import { afterEach, describe, expect, test } from "vitest";
import type { Status } from "../../src/core/delivery/record.ts";
import { abortEarly, anyMoments, expectEachAborted } from "../support/agents/early-aborts.ts";
import type { Agent } from "../support/agents/side-by-side.ts";
import { startAgent } from "../support/agents/side-by-side.ts";
import { OpencodeSession } from "../support/opencode/opencode-session.ts";
import { openCodeApi } from "../support/opencode/opencode-stages.ts";

describe.each(["stub", "opencode", "claude", "pi"] as const)("%s", (kind) => {
  test("a prompt that is aborted at any moment is shown once, aborted once, and never continues", async () => {
    const [one = 0, ...others] = anyMoments(3);
    // The stub has no tools that take a while.
    const later = kind === "stub" ? others : [...others, "tool" as const];
    const sessions = [
      [0, one, "ask" as const],
      [5, ...later],
    ];
    expectEachAborted(await abortEarly(kind, sessions));
  });
});

describe("an abort", () => {
  const undo: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const one of undo.splice(0).reverse()) await one();
  });

  async function aSession(): Promise<{ agent: Agent; session: OpencodeSession }> {
    const turns = { works: [{ say: "Done, 3 files.", slowly: true as const }], quick: [{ say: "Done, 1 file." }] };
    const agent = await startAgent("stub", turns, [{ id: "lane" }]);
    undo.push(() => agent.dispose());
    const api = await openCodeApi(agent);
    undo.push(() => api.close());
    const session = await new OpencodeSession(api, "").open("ses_lane");
    undo.push(() => session.close());
    return { agent, session };
  }
  const idles = ({ events }: OpencodeSession) => events.filter(({ type }) => type === "session.idle").length;
  const ends = async ({ waybill }: Agent): Promise<Status[]> =>
    (await waybill.store.deliveries({ laneId: "lane", limit: 10 })).items.map(({ status }) => status).reverse();

  test("sent ten times at the same moment counts once, and the next prompt is answered", async () => {
    const { agent, session } = await aSession();
    await session.prompt("works");
    await Promise.all(Array.from({ length: 10 }, () => session.abort()));
    await session.untilRest();
    await session.prompt("quick");
    await session.untilRest(2);
    expect(idles(session)).toBe(2);
    expect(await ends(agent)).toEqual(["cancelled", "responded"]);
  });

  test("of an idle session changes nothing, and of an unknown or deleted one is refused", async () => {
    const { agent, session } = await aSession();
    await session.abort();
    const status = async (sessionID: string) => (await session.client.session.abort({ sessionID })).response.status;
    expect(await status("ses_unknown")).toBe(404);
    await session.prompt("quick");
    await session.untilRest();
    await session.abort();
    expect(await ends(agent)).toEqual(["responded"]);
    expect(idles(session)).toBe(1);
    await session.client.session.delete({ sessionID: session.id }, { throwOnError: true });
    expect(await status(session.id)).toBe(404);
  });

  test("also ends the waiting prompts, with one idle for all", async () => {
    const { agent, session } = await aSession();
    for (const nth of [1, 2, 3]) await session.prompt(`works ${nth}`);
    await session.abort();
    await session.untilRest();
    await session.prompt("quick");
    await session.untilRest(2);
    expect(idles(session)).toBe(2);
    expect(await ends(agent)).toEqual(["cancelled", "cancelled", "cancelled", "responded"]);
    const messages = (await session.messages()).map(({ info }) => ("error" in info ? info.error?.name : info.role));
    expect(messages.filter((one) => one === "user")).toHaveLength(4);
    expect(messages.filter((one) => one === "MessageAbortedError")).toHaveLength(3);
  });
});
