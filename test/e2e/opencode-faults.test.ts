/** Failures of an OpenCode server mid-turn. Each time the message is answered, or it is clear why not. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { fault500, page, refused } from "../support/agents/fault-proxy.ts";
import { serviceOf } from "../support/daemon/service-of.ts";
import { OpencodeWorld } from "../support/opencode/opencode-world.ts";

const always = Number.POSITIVE_INFINITY;
const reads = /\/message(\?|$)/;
/** Proves nothing about the session, since it does not come from OpenCode. */
const notHere = { how: "say", status: 404, type: "text/html", body: "<h1>404 page not found</h1>" } as const;
const nothing = { how: "say", status: 200, type: "application/json", body: "null" } as const;

describe("a server that fails", () => {
  let world: OpencodeWorld;
  beforeAll(async () => {
    const policy = { observeLimitMs: 1500, graceMs: 2500, graceForTaskMs: 12_000 };
    world = await new OpencodeWorld({ behindProxy: true, policy }).start();
  });
  afterAll(() => world.dispose());

  /** The first turn hangs, every later one answers. */
  const hangsOnce = (when: string, say: string) =>
    world.script({
      rules: [
        { when, once: true, steps: [{ say: "I begin", breaks: { how: "hang", afterPieces: 1 } }] },
        { when, steps: [{ say }] },
      ],
    });

  test.each(["SIGKILL", "SIGTERM"] as const)("by %s mid-turn and comes back is asked again, once", async (signal) => {
    hangsOnce(`end by ${signal}`, `Alive again after ${signal}, 2 of 2.`);
    await world.send(signal, `Survive the end by ${signal}.`);
    await world.reaches(signal, "accepted");
    await world.modelIsAsked(`end by ${signal}`);
    await world.opencode.end(signal);
    await world.until(signal, (record) => record.responseState === "reconcile_failed");
    await world.opencode.comeBack();
    expect(await world.reaches(signal, "responded", "failed_terminal", "cancelled")).toMatchObject({
      status: "responded",
      attempts: 2,
    });
    expect(world.turns(`end by ${signal}`)).toBe(2);
  });

  test("and is back before anything noticed is asked again, once", async () => {
    hangsOnce("blink", "Back after 1 blink.");
    await world.send("blink", "Do not blink.");
    await world.reaches("blink", "accepted");
    await world.modelIsAsked("blink");
    await world.opencode.end("SIGKILL");
    await world.opencode.comeBack();
    expect(await world.reaches("blink", "responded")).toMatchObject({ attempts: 2 });
    expect(world.turns("blink")).toBe(2);
  });

  test("and comes back without its data gets the message in a fresh session", async () => {
    hangsOnce("amnesia", "I know of 1 message.");
    await world.send("amnesia", "This is amnesia.");
    const { runtimeSessionId } = await world.reaches("amnesia", "accepted");
    await world.modelIsAsked("amnesia");
    await world.opencode.end("SIGKILL");
    await world.opencode.comeBack(join(world.directory, "another-home"));
    const record = await world.reaches("amnesia", "responded");
    expect(record).toMatchObject({ attempts: 1, repairs: 1 });
    expect(record.runtimeSessionId).not.toBe(runtimeSessionId);
  });

  test("and loses a stored prompt gets it again with the same ids", async () => {
    world.script({
      rules: [
        { when: "do not lose", once: true, steps: [{}] },
        { when: "do not lose", steps: [{ say: "Kept this time, 1 copy." }] },
      ],
    });
    // With the longer grace time of a task, no retry is due before the rows are deleted.
    await world.send("lost", "Please do not lose this.", { taskRefs: [{ id: "t1" }] });
    const record = await world.until("lost", (one) => one.responseState === "empty_assistant_turn");
    const session = `/session/${record.runtimeSessionId}/message`;
    for (const id of [record.observedAssistantMessageId, record.deliveredUserMessageId]) {
      await world.opencode.server.call("DELETE", `${session}/${id}`);
    }
    expect((await world.reaches("lost", "responded")).attemptList).toMatchObject([{ sends: 2 }]);
    expect(await world.answers()).toContain("Kept this time, 1 copy.");
  });

  test.each([
    { id: "page", what: "a page instead of the transcript", fault: page },
    { id: "fault", what: "a fault instead of the transcript", fault: fault500 },
    { id: "proxy", what: "the 404 of a proxy instead of the transcript", fault: notHere },
    { id: "null", what: "null instead of the transcript", fault: nothing },
    { id: "late", what: "the transcript long after the client gave up", fault: { how: "hold" as const } },
  ])("and returns $what is read again later, and nothing is sent again", async ({ id, what, fault }) => {
    world.script({ rules: [{ when: what, steps: [{ waitMs: 1000, say: `Over it: ${what.length} letters.` }] }] });
    await world.send(id, `Give me ${what}.`);
    await world.reaches(id, "accepted");
    world.opencode.proxy.fail("GET", reads, fault, 3);
    const failed = await world.until(id, (record) => record.responseState === "reconcile_failed");
    expect(failed.status).toBe("accepted");
    const record = await world.reaches(id, "responded");
    world.opencode.proxy.heal();
    world.opencode.proxy.release();
    expect(record.attemptList).toMatchObject([{ sends: 1 }]);
    expect(world.turns(what)).toBe(1);
  });

  test("and answers a prompt with a web page has not accepted it, so it is sent again with the same ids", async () => {
    world.script({ rules: [{ when: "web page", steps: [{ say: "Taken at last, 1 of 1." }] }] });
    world.opencode.proxy.fail("POST", /prompt_async$/, page);
    await world.send("web-page", "You are a web page.");
    expect((await world.reaches("web-page", "responded")).attemptList).toMatchObject([{ sends: 2 }]);
    expect(world.turns("web page")).toBe(1);
  });

  test("and never returns a subtask's rows is still read, and the missing usage is reported once", async () => {
    const task = { description: "d", prompt: "inside job", subagent_type: "general" };
    world.script({
      rules: [
        { when: "inside job", steps: [{ say: "Inside: 1." }] },
        { when: "delegate", steps: [{ tools: [{ tool: "task", input: task }] }, { waitMs: 500, say: "Outside: 1." }] },
        { when: "a session", steps: [{ say: "Opened: 1." }] },
      ],
    });
    await world.send("opened", "Have a session.");
    await world.reaches("opened", "responded");
    const { sessionId } = (await world.waybill.store.lane("lane")) ?? {};
    world.opencode.proxy.fail("GET", new RegExp(`/session/(?!${sessionId})\\w+/message`), fault500, always);
    const before = world.errors.length;
    await world.send("delegated", "Please delegate.");
    expect(await world.reaches("delegated", "responded", "failed_terminal")).toMatchObject({
      status: "responded",
      attempts: 1,
    });
    await world.waybill.courier.moveLane("lane", { reconcile: true });
    world.opencode.proxy.heal();
    expect(world.errors.slice(before).map(String)).toEqual([expect.stringMatching(/\/message.*status 500/)]);
    expect(world.turns("inside job")).toBe(1);
  });

  test("and refuses the password keeps the message waiting with a reason, and gets it when the password works again", async () => {
    world.script({ rules: [{ when: "let me in", steps: [{ say: "You are in, as user 1." }] }] });
    world.opencode.proxy.fail("*", /./, refused, always);
    await world.send("password", "Please let me in.");
    await world.waits("lane");
    await expect.poll(() => world.supervisor.health()).toContain("OPENCODE_SERVER_PASSWORD");
    expect(await world.delivery("password")).toMatchObject({ status: "pending", attempts: 0 });
    world.opencode.proxy.heal();
    expect(await world.reaches("password", "responded")).toMatchObject({ attempts: 1 });
    expect(world.turns("let me in")).toBe(1);
  });
});

describe("events", () => {
  let world: OpencodeWorld;
  beforeAll(async () => {
    // Scheduled reads come too late for these tests, so anything found in time is found by events or by polling.
    const policy = { graceMs: 300_000, firstReconcileDelayMs: 300_000, maxReconcileDelayMs: 300_000 };
    const config = { permission: { webfetch: "ask" } };
    world = await new OpencodeWorld({ behindProxy: true, policy, silenceMs: 12_000, config }).start();
    const fetch = { tool: "webfetch", input: { url: "http://127.0.0.1:9/", format: "text" } };
    world.script({
      rules: [
        { when: "/count (\\w+)/", steps: [{ waitMs: 500, say: "Counted {{1}}: 3." }] },
        { when: "fetch", steps: [{ tools: [fetch] }, { say: "Fetched: 1." }] },
      ],
    });
  });
  afterAll(() => world.dispose());

  async function isAnswered(id: string): Promise<void> {
    await world.send(id, `Please count ${id}.`);
    expect(await world.reaches(id, "responded")).toMatchObject({ attempts: 1 });
    expect(world.turns(`count ${id}`)).toBe(1);
  }

  test("report the end of a turn", () => isAnswered("sheep"));

  test("resume after an interruption, and a turn that ended during it is found", async () => {
    await world.send("goats", "Please count goats.");
    await world.modelIsAsked("count goats");
    world.opencode.proxy.cutStreams();
    expect(await world.reaches("goats", "responded")).toMatchObject({ attempts: 1 });
    await isAnswered("geese");
  });

  test("that are unavailable are replaced by polling until they are back", async () => {
    world.opencode.proxy.refuseStreams();
    await isAnswered("ducks");
    await isAnswered("hens");
    world.opencode.proxy.heal();
    await isAnswered("pigs");
  });

  test("that are unavailable or silent cause a notice in the lane, and block nothing", async () => {
    const service = serviceOf(world.waybill);
    const codes = async () => (await service.lane("lane")).notices.map(({ code }) => code);
    await expect.poll(codes).toEqual([]);
    expect(await service.readiness()).toEqual({ ready: true, degraded: false, reasons: [] });
    world.opencode.proxy.refuseStreams();
    await expect.poll(codes).toEqual(["events_unusable"]);
    const reasons = ["events_unusable:opencode"];
    expect(await service.readiness()).toEqual({ ready: true, degraded: true, reasons });
    // The stream is open, but as silent as before.
    world.opencode.proxy.heal();
    world.opencode.proxy.silenceStreams();
    await expect.poll(() => world.opencode.proxy.openStreams).toBe(1);
    expect(await codes()).toEqual(["events_unusable"]);
    world.opencode.proxy.heal();
    await expect.poll(codes).toEqual([]);
  });

  test("that were missed may have announced an ask that the server cannot list: a notice, until the turn is stopped", async () => {
    const service = serviceOf(world.waybill);
    const codes = async () => (await service.lane("lane")).notices.map(({ code }) => code);
    world.opencode.proxy.refuseStreams();
    await world.send("fetch", "Please fetch it.");
    await expect.poll(codes).toEqual(["events_unusable", "ask_unseen"]);
    await world.waybill.interventions.stop("lane", "user");
    expect(await world.until("fetch", ({ turnEndedAt }) => turnEndedAt !== null)).toMatchObject({
      status: "cancelled",
    });
    expect(await codes()).toEqual(["events_unusable"]);
    world.opencode.proxy.heal();
    await expect.poll(codes).toEqual([]);
  });

  test("in a stream that went silent are missed only for a while", async () => {
    world.opencode.proxy.silenceStreams();
    await isAnswered("crickets");
    world.opencode.proxy.heal();
    await isAnswered("frogs");
  });
});

test("a session that no abort stops is abandoned, and its message continues in a fresh one", async () => {
  const world = new OpencodeWorld({ behindProxy: true, policy: { stuckAfterMs: 10_000, maxAttempts: 1 } });
  onTestFinished(() => world.dispose());
  await world.start();
  const aborts = vi.spyOn(world.runtime, "abort");
  const stopped = { how: "say", status: 200, type: "application/json", body: "true" } as const;
  world.opencode.proxy.fail("POST", /\/abort(\?|$)/, stopped, always);
  world.script({
    rules: [
      { when: "toast", once: true, steps: [{ breaks: { how: "hang" } }] },
      { when: "toast", steps: [{ say: "Two slices, after all." }] },
      { when: "kettle", steps: [{ say: "The kettle is on, 90 degrees." }] },
    ],
  });
  await world.send("kettle", "Put the kettle on.");
  await world.reaches("kettle", "responded");
  await world.send("toast", "Make toast.");
  const { attemptList } = await world.reaches("toast", "responded", "failed_terminal");
  const [old, fresh] = attemptList.map(({ sessionId }) => sessionId);
  expect(attemptList.map(({ spends, generation }) => [spends, generation])).toEqual([
    ["attempts", 1],
    ["repairs", 2],
  ]);
  expect(aborts).toHaveBeenCalledTimes(2);
  const busy = await world.opencode.server.call<object>("GET", "/session/status");
  expect(Object.keys(busy)).toEqual([old]);
  expect((await world.stored(fresh ?? "", attemptList[1]?.messageId ?? "")).parts).toMatchObject([
    { text: expect.stringContaining("90 degrees") },
  ]);
  expect((await world.answers()).at(-1)).toBe("Two slices, after all.");
  expect(world.errors).toMatchObject([{ code: "session_left_busy" }]);
});
