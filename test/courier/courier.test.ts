import { describe, expect, test } from "vitest";
import type { World, WorldOptions } from "../support/daemon/waybill.ts";
import { startWorld } from "../support/daemon/waybill.ts";

let world: World;
const run = async (options: WorldOptions) => {
  world = await startWorld(options);
};

const second = 1000;
const minute = 60 * second;
const toolLane = { lanes: [{ contract: "tool" as const }] };

describe("an answer", () => {
  test("is proof: the message is responded and read, and the text is in the sender's mailbox", async () => {
    await run({ script: { turns: [{ steps: [{ say: "Forty-two." }] }] } });
    await world.send({ id: "m1", text: "What is the answer?" });
    const record = await world.reaches("m1", "responded");
    expect(record).toMatchObject({ attempts: 1, responseState: "responded_plain_text", proof: { by: "plain_text" } });
    expect(record.readCommittedAt).not.toBeNull();
    expect(await world.mail()).toEqual([{ from: "lane", text: "Forty-two.", relayOf: "m1" }]);
    expect(await world.history("m1")).toEqual(["admitted", "submit", "accepted", "proven"]);
  });

  test("an accepted prompt without an answer is not read", async () => {
    await run({ script: { turns: [{ steps: [{ wait: 10 * minute }, { say: "At last." }] }] } });
    await world.send({ id: "m1" });
    await world.clock.advance(9 * minute);
    expect(await world.delivery("m1")).toMatchObject({ status: "accepted", readCommittedAt: null, attempts: 1 });
    await world.reaches("m1", "responded");
    expect(world.prompts()).toHaveLength(1);
  });

  test("a visible reply that names the message proves it before the turn has ended", async () => {
    await run({
      ...toolLane,
      script: { turns: [{ steps: [{ reply: "The port is 8080." }, { wait: minute }, { say: "Sent." }] }] },
    });
    await world.send({ id: "m1", text: "Which port?", actionMode: "ask" });
    const record = await world.reaches("m1", "responded");
    expect(record).toMatchObject({
      turnEndedAt: null,
      proof: { by: "destination_reply", visibleReply: { correlation: "relayOfMessageId", mailbox: "user" } },
    });
    expect(await world.mail()).toEqual([{ from: "lane", text: "The port is 8080.", relayOf: "m1" }]);
  });

  test("an agent that answers by tool and keeps working does not get the next message until its turn has ended", async () => {
    await run({
      ...toolLane,
      script: {
        turns: [
          { when: "first", steps: [{ reply: "The port is 8080." }, { wait: 5 * minute }, { tool: "bash" }] },
          { when: "second", steps: [{ reply: "It is open." }] },
        ],
      },
    });
    await world.send({ id: "m1", text: "first: which port?" });
    await world.send({ id: "m2", text: "second: is it open?" });
    await world.reaches("m1", "responded");
    await world.clock.advance(4 * minute);
    expect(await world.delivery("m2")).toMatchObject({ status: "pending" });
    expect(world.prompts()).toHaveLength(1);
    await world.reaches("m2", "responded");
    const ended = (await world.delivery("m1")).turnEndedAt;
    expect(ended).not.toBeNull();
    expect(world.prompts()[1]?.at).toBeGreaterThanOrEqual(ended ?? Number.POSITIVE_INFINITY);
  });

  test("plain text on a tool lane counts, with a diagnostic", async () => {
    await run({ ...toolLane, script: { turns: [{ steps: [{ say: "The port is 8080." }] }] } });
    await world.send({ id: "m1", actionMode: "ask" });
    const record = await world.reaches("m1", "responded");
    expect(record.diagnostics).toContain("answered_in_plain_text");
    expect(await world.mail()).toHaveLength(1);
  });

  test("a notification is proven by a turn that received it and ended without an error, whatever was said", async () => {
    await run({ ...toolLane, script: { turns: [{ steps: [] }] } });
    await world.send({ id: "m1", actionMode: "notify" });
    expect(await world.reaches("m1", "responded")).toMatchObject({ proof: { by: "notified_turn" }, attempts: 1 });
  });
});

describe("a long session", () => {
  const rounds = (count: number) => Array.from({ length: count }, () => ({ tool: "bash", output: "ok", takesMs: 100 }));

  test("a prompt beyond the short read is found by one full read", async () => {
    const steps = [...rounds(60), { say: "Done, 60 rounds." }];
    await run({ policy: { readLimit: 5 }, script: { turns: [{ steps }] } });
    await world.send({ id: "m1" });
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1, proof: { by: "plain_text" } });
    expect(world.prompts()).toHaveLength(1);
  });

  test("a short read is enough in the common case, however long the session", async () => {
    const limits: (number | null)[] = [];
    await run({ policy: { readLimit: 5 }, script: { always: [{ steps: [{ say: "Done, 1." }] }] } });
    for (let count = 0; count < 20; count++) {
      await world.send({ id: `m${count}` });
      await world.reaches(`m${count}`, "responded");
    }
    const { read } = world.stub;
    world.stub.read = (lane, session, limit) => {
      limits.push(limit);
      return read.call(world.stub, lane, session, limit);
    };
    await world.send({ id: "last" });
    await world.reaches("last", "responded");
    expect(new Set(limits)).toEqual(new Set([20, 5]));
  });
});

describe("silence", () => {
  test("an empty turn is retried and then answered", async () => {
    await run({ script: { turns: [{ steps: [] }, { steps: [{ say: "Here it is." }] }] } });
    await world.send({ id: "m1" });
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 2 });
    expect(new Set(world.prompts().map((prompt) => prompt.id)).size).toBe(2);
    expect(world.prompts()[1]?.text).toMatch(/reached you before.*m1/s);
    const history = (await world.history("m1")).filter((type) => type !== "reconciled");
    expect(history).toEqual([
      ...["admitted", "submit", "accepted", "unanswered", "retry_scheduled", "submit", "accepted", "proven"],
    ]);
  });

  test("reasoning alone does not answer an ask, which stays unread and is retried", async () => {
    await run({
      script: { turns: [{ steps: [{ think: "It must be 8080." }] }, { steps: [{ say: "The port is 8080." }] }] },
    });
    await world.send({ id: "m1", actionMode: "ask" });
    expect(await world.reaches("m1", "retry_scheduled")).toMatchObject({
      ...{ responseState: "empty_assistant_turn", readCommittedAt: null },
    });
    expect(await world.mail()).toEqual([]);
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 2 });
  });

  test("the grace time and the delay come before a retry", async () => {
    await run({ script: { always: [{ steps: [] }] } });
    await world.send({ id: "m1" });
    await world.clock.advance(19 * second);
    expect(await world.delivery("m1")).toMatchObject({ status: "accepted", attempts: 1 });
    await world.clock.advance(2 * second);
    expect(await world.delivery("m1")).toMatchObject({ status: "retry_scheduled", attempts: 1 });
    await world.clock.advance(28 * second);
    expect(await world.delivery("m1")).toMatchObject({ attempts: 1 });
    await world.clock.advance(2 * second);
    expect(await world.delivery("m1")).toMatchObject({ attempts: 2 });
  });

  test("a silent agent ends as failed_terminal, unread, and the next message is sent", async () => {
    await run({ script: { always: [{ when: "loud", steps: [{ say: "Yes?" }] }, { steps: [] }] } });
    await world.send({ id: "m1", text: "quiet" });
    await world.send({ id: "m2", text: "loud" });
    const failed = await world.reaches("m1", "failed_terminal");
    expect(failed).toMatchObject({ attempts: 3, readCommittedAt: null, lastReason: "empty_assistant_turn" });
    expect((await world.waybill.store.message({ kind: "lane", lane: "lane" }, "m1"))?.readAt).toBeNull();
    await world.reaches("m2", "responded");
    expect(world.prompts().filter((prompt) => prompt.text.includes("quiet"))).toHaveLength(3);
  });

  test("the sender is notified when a message failed for good, in Waybill's own name", async () => {
    await run({ script: { always: [{ steps: [] }] } });
    await world.send({ id: "m1" });
    await world.reaches("m1", "failed_terminal");
    expect(await world.mail()).toEqual([
      { from: "waybill", text: expect.stringMatching(/not answered/), relayOf: "m1" },
    ]);
  });

  test("late proof turns failed_terminal into responded", async () => {
    await run({ ...toolLane, script: { always: [{ steps: [] }] } });
    await world.send({ id: "m1" });
    await world.reaches("m1", "failed_terminal");
    await world.waybill.admission.admit(
      { id: "late", to: { person: "user" }, from: "lane", text: "The port is 8080.", relayOfMessageId: "m1" },
      { agent: { kind: "lane", lane: "lane" } },
    );
    const record = await world.reaches("m1", "responded");
    expect(record).toMatchObject({ attempts: 3, proof: { by: "destination_reply" } });
    expect(record.readCommittedAt).not.toBeNull();
    expect(world.prompts()).toHaveLength(3);
  });

  test("late proof in the transcript is found by the reconciles that follow a failure", async () => {
    await run({
      policy: { automaticRetry: false },
      script: { turns: [{ steps: [{ crash: true }] }, { steps: [{ say: "Port 8080." }] }] },
    });
    await world.send({ id: "m1" });
    const failed = await world.reaches("m1", "failed_terminal");
    const session = failed.runtimeSessionId ?? "";
    // The agent program comes back and finishes its work under the same prompt.
    const lane = await world.waybill.store.lane("lane");
    if (!lane) throw new Error("no lane");
    const prompt = world.prompts()[0];
    if (!prompt) throw new Error("no prompt");
    await world.stub.submit(
      lane,
      { messageId: prompt.id, partId: "p", sessionId: session, text: "go on", attachments: [] },
      new AbortController().signal,
    );
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1, proof: { by: "plain_text" } });
  });

  test("a failed delivery is reconciled a few more times and then left alone", async () => {
    await run({ script: { always: [{ steps: [] }] } });
    await world.send({ id: "m1" });
    await world.reaches("m1", "failed_terminal");
    await world.clock.advance(2 * 3600 * second);
    expect(await world.delivery("m1")).toMatchObject({ status: "failed_terminal", nextReconcileAt: null });
    expect(world.clock.pending).toBe(0);
  });

  test("with the kill switch on, nothing is sent twice, and the failure is shown", async () => {
    await run({ policy: { automaticRetry: false }, script: { always: [{ steps: [] }] } });
    await world.send({ id: "m1" });
    const record = await world.reaches("m1", "failed_terminal");
    expect(record).toMatchObject({ attempts: 1, readCommittedAt: null, lastReason: "automatic_retry_is_off" });
    expect(world.prompts()).toHaveLength(1);
  });
});

describe("on a text lane", () => {
  test("a message sent during the turn does not replace the answer", async () => {
    await run({ script: { turns: [{ steps: [{ wait: minute }, { say: "The answer is 42." }] }] } });
    await world.send({ id: "m1", actionMode: "ask" });
    const progress = {
      id: "p1",
      to: { person: "user" },
      from: "lane",
      text: "Halfway: 3 of 6.",
      relayOfMessageId: "m1",
    };
    await world.waybill.admission.admit(progress, { agent: { kind: "lane", lane: "lane" } });
    await world.reaches("m1", "responded");
    expect((await world.mail()).map((mail) => mail.text)).toEqual(["Halfway: 3 of 6.", "The answer is 42."]);
  });
});

describe("acknowledgements on a tool lane", () => {
  test.each(["I'll check", "I’ll check", "Understood. Working on it.", "Got it, will do"])(
    "%j does not answer an ask",
    async (words) => {
      await run({
        ...toolLane,
        script: { turns: [{ steps: [{ reply: words }] }, { steps: [{ reply: "The port is 8080." }] }] },
      });
      await world.send({ id: "m1", actionMode: "ask" });
      await world.clock.advance(10 * second);
      expect(await world.delivery("m1")).toMatchObject({ status: "accepted", readCommittedAt: null });
      expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 2 });
      expect(world.prompts()[1]?.text).toMatch(/acknowledged/);
    },
  );

  test("a lookup followed by silence is not an answer, and the retry asks for one", async () => {
    await run({
      ...toolLane,
      script: { turns: [{ steps: [{ tool: "read", output: "…" }] }, { steps: [{ reply: "Port 8080." }] }] },
    });
    await world.send({ id: "m1", actionMode: "ask" });
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 2 });
    expect(world.prompts()[1]?.text).toMatch(/has seen no answer/);
  });

  test("a bare OK is the answer to a message that asks for it", async () => {
    await run({ script: { turns: [{ steps: [{ say: "OK" }] }] } });
    await world.send({ id: "m1", text: "Reply OK" });
    const record = await world.reaches("m1", "responded");
    expect(record).toMatchObject({ attempts: 1, diagnostics: ["answer_was_asked_for"] });
  });
});

describe("unknown acceptance", () => {
  test("a prompt that arrived after the timeout is found and not sent again", async () => {
    await run({ script: { turns: [{ arrival: "after_timeout", steps: [{ say: "I am slow to confirm." }] }] } });
    await world.send({ id: "m1" });
    await world.clock.advance(10 * second);
    expect(await world.delivery("m1")).toMatchObject({ status: "responded", attempts: 1 });
    expect(world.prompts()).toHaveLength(1);
  });

  test("a prompt that was accepted and lost is sent again with the same ids, after the grace time and two reads", async () => {
    await run({ script: { turns: [{ arrival: "lost" }, { steps: [{ say: "Now I have it." }] }] } });
    await world.send({ id: "m1" });
    await world.clock.advance(19 * second);
    expect(world.prompts()).toHaveLength(1);
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1, repairs: 0 });
    const [first, again, ...more] = world.prompts();
    expect(more).toEqual([]);
    expect(again?.id).toBe(first?.id);
    expect(again?.text).toBe(first?.text);
    expect((again?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(22 * second);
  });

  test("a prompt that was stored and never run is sent again with the same ids", async () => {
    await run({ script: { turns: [{ arrival: "forgotten" }, { steps: [{ say: "Running now." }] }] } });
    await world.send({ id: "m1" });
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1 });
    expect(new Set(world.prompts().map((prompt) => prompt.id)).size).toBe(1);
  });

  test("the same ids are sent at most three times, then a new attempt is made", async () => {
    await run({
      script: {
        turns: [{ arrival: "lost" }, { arrival: "lost" }, { arrival: "lost" }, { steps: [{ say: "Hello." }] }],
      },
    });
    await world.send({ id: "m1" });
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 2 });
    const ids = world.prompts().map((prompt) => prompt.id);
    expect(ids.slice(0, 3)).toEqual([ids[0], ids[0], ids[0]]);
    expect(ids[3]).not.toBe(ids[0]);
  });

  test("if known ids are swallowed, an admitted turn that died gets new ids without using an attempt", async () => {
    await run({
      sendingAgain: "swallowed",
      script: { turns: [{ steps: [{ tool: "read" }, { crash: true }] }, { steps: [{ say: "Back again." }] }] },
    });
    await world.send({ id: "m1" });
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1, repairs: 1 });
    expect(new Set(world.prompts().map((prompt) => prompt.id)).size).toBe(2);
  });

  test("if a turn dies more often than repairs allow, its attempts pay, each after its delay", async () => {
    const dies = { steps: [{ tool: "read" }, { crash: true as const }] };
    await run({
      sendingAgain: "swallowed",
      script: { turns: [dies, dies, dies, dies, { steps: [{ say: "At last, 1." }] }] },
    });
    await world.send({ id: "m1" });
    const { attemptList } = await world.reaches("m1", "responded");
    expect(attemptList.map(({ spends }) => spends)).toEqual(["attempts", "repairs", "repairs", "attempts", "attempts"]);
    const died = (number: number) =>
      attemptList[number - 1]?.finishedAt ?? attemptList[number - 1]?.lastActivityAt ?? 0;
    expect((attemptList[3]?.submittedAt ?? 0) - died(3)).toBeGreaterThanOrEqual(30 * second);
    expect((attemptList[4]?.submittedAt ?? 0) - died(4)).toBeGreaterThanOrEqual(90 * second);
  });

  test("an interrupted turn is retried", async () => {
    await run({
      script: { turns: [{ steps: [{ say: "Let me" }, { crash: true }] }, { steps: [{ say: "Done: 3." }] }] },
    });
    await world.send({ id: "m1" });
    await world.clock.advance(second);
    await world.clock.until(async () => (await world.delivery("m1")).responseState === "interrupted");
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 2 });
  });

  test("an agent that is temporarily unavailable costs no attempt", async () => {
    await run({ script: { turns: [{ arrival: "unavailable" }, { steps: [{ say: "Here." }] }] } });
    await world.send({ id: "m1" });
    expect(await world.delivery("m1")).toMatchObject({ status: "failed_retryable", acceptanceUnknown: false });
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1 });
  });

  test("a prompt that is refused fails immediately, and the lane continues", async () => {
    await run({ script: { turns: [{ arrival: "refused" }, { steps: [{ say: "Fine." }] }] } });
    await world.send({ id: "m1" });
    await world.send({ id: "m2" });
    expect(await world.reaches("m1", "failed_terminal")).toMatchObject({ lastReason: "agent_refused", attempts: 1 });
    await world.reaches("m2", "responded");
  });
});

describe("events", () => {
  test("a lost event costs only time", async () => {
    const script = { turns: [{ steps: [{ say: "Forty-two." }] }] };
    await run({ script: { ...script, hints: false } });
    await world.send({ id: "m1" });
    await world.clock.advance(10 * second);
    expect(await world.delivery("m1")).toMatchObject({ status: "accepted" });
    await world.clock.advance(11 * second);
    expect(await world.delivery("m1")).toMatchObject({ status: "responded", attempts: 1 });
    expect(world.prompts()).toHaveLength(1);
  });

  test("hints without news leave no trace in the audit", async () => {
    await run({ script: { turns: [{ steps: [{ wait: minute }, { say: "Done, 3 files." }] }] } });
    await world.send({ id: "m1" });
    for (let time = 0; time < 50; time++) await world.waybill.courier.moveLane("lane", { reconcile: true });
    expect((await world.history("m1")).length).toBeLessThan(6);
  });

  test("hints cause no early repeat of a send", async () => {
    await run({
      script: { turns: [{ arrival: "unavailable" }, { arrival: "unavailable" }, { steps: [{ say: "Hi, 1." }] }] },
    });
    await world.send({ id: "m1" });
    for (let time = 0; time < 20; time++) await world.waybill.courier.moveLane("lane", { reconcile: true });
    expect(world.prompts()).toHaveLength(1);
    await world.reaches("m1", "responded");
  });

  test("hints while the end of a turn is owed leave no trace in the audit", async () => {
    await run({ ...toolLane, script: { turns: [{ steps: [{ reply: "Port 8080." }, { wait: minute }] }] } });
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    for (let time = 0; time < 20; time++) await world.waybill.courier.moveLane("lane", { reconcile: true });
    expect((await world.history("m1")).length).toBeLessThan(8);
  });

  test("repeated wake-ups while a turn runs send nothing", async () => {
    await run({ script: { turns: [{ steps: [{ wait: minute }, { say: "Done it, 3 files." }] }] } });
    await world.send({ id: "m1" });
    for (let time = 0; time < 20; time++) await world.waybill.courier.moveLane("lane", { reconcile: true });
    expect(world.prompts()).toHaveLength(1);
    await world.reaches("m1", "responded");
  });

  test("an idle Waybill sets no timer", async () => {
    await run({ script: { turns: [{ steps: [{ say: "Forty-two." }] }] } });
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    await world.clock.advance(minute);
    expect(world.clock.pending).toBe(0);
  });
});

describe("sessions", () => {
  test("a repaired session gets new ids, in a new generation, and uses no attempt", async () => {
    await run({ script: { turns: [{ steps: [{ say: "On" }, { stale: true }] }, { steps: [{ say: "Fresh, 1." }] }] } });
    await world.send({ id: "m1", text: "please" });
    const record = await world.reaches("m1", "responded");
    expect(record).toMatchObject({ attempts: 1, repairs: 1 });
    const [first, next] = record.attemptList;
    expect(next?.generation).toBe(2);
    expect(next?.sessionId).not.toBe(first?.sessionId);
    expect(next?.messageId).not.toBe(first?.messageId);
    expect(await world.waybill.store.sessions("lane")).toHaveLength(2);
  });

  test("a stuck session is aborted and replaced, and the new one gets a digest of the old one", async () => {
    await run({
      script: {
        turns: [
          { when: "tea", steps: [{ say: "Earl Grey, 3 minutes." }] },
          { when: "milk", steps: [{ say: "Hm" }, { hang: true }] },
          { when: "milk", steps: [{ say: "A little, 20 ml." }] },
        ],
      },
    });
    await world.send({ id: "m1", text: "tea?" });
    await world.send({ id: "m2", text: "milk?" });
    await world.reaches("m1", "responded");
    await world.clock.advance(14 * minute);
    expect(await world.delivery("m2")).toMatchObject({ status: "accepted", repairs: 0 });
    expect(await world.reaches("m2", "responded")).toMatchObject({ attempts: 1, repairs: 1 });
    expect(world.prompts().at(-1)?.text).toMatch(/earlier session.*Earl Grey.*milk\?/s);
    const [, old] = world.prompts();
    const lane = await world.waybill.store.lane("lane");
    if (!lane || !old) throw new Error("no lane");
    expect(await world.stub.read(lane, old.session, null)).toMatchObject({ status: "idle" });
  });

  test("when every repair fails, attempts pay, and when those are spent, the delivery fails with a reason", async () => {
    await run({ script: { always: [{ steps: [{ stale: true }] }] } });
    await world.send({ id: "m1" });
    const record = await world.reaches("m1", "failed_terminal");
    expect(record).toMatchObject({ attempts: 3, repairs: 2, lastReason: "session_stale", readCommittedAt: null });
    expect(record.attemptList.map(({ spends, generation }) => [spends, generation])).toEqual([
      ["attempts", 1],
      ["repairs", 2],
      ["repairs", 3],
      ["attempts", 4],
      ["attempts", 5],
    ]);
  });

  test("a session that hangs forever is stopped, so that the next message gets a fresh one", async () => {
    await run({
      policy: { maxRepairs: 0, maxAttempts: 1 },
      script: { turns: [{ steps: [{ hang: true }] }, { steps: [{ say: "Hi, 1." }] }] },
    });
    await world.send({ id: "m1" });
    await world.send({ id: "m2" });
    expect(await world.reaches("m1", "failed_terminal")).toMatchObject({ lastReason: "session_stuck" });
    await world.reaches("m2", "responded");
  });

  test("a turn that answered and then hangs is stopped in the end, and the lane continues", async () => {
    await run({
      ...toolLane,
      script: { turns: [{ steps: [{ reply: "Port 8080." }, { hang: true }] }, { steps: [{ reply: "It is open." }] }] },
    });
    await world.send({ id: "m1" });
    await world.send({ id: "m2" });
    await world.reaches("m2", "responded");
    expect(await world.delivery("m1")).toMatchObject({ status: "responded", attempts: 1, repairs: 0 });
  });

  test("somebody else's long tool in the same session is not aborted", async () => {
    await run({
      script: {
        turns: [
          { when: "m1", arrival: "lost" },
          { when: "theirs", steps: [{ ask: "permission" }] },
        ],
      },
    });
    await world.send({ id: "m1" });
    const lane = await world.waybill.store.lane("lane");
    if (!lane?.sessionId) throw new Error("no session");
    const theirs = { messageId: "theirs", partId: "p", sessionId: lane.sessionId, text: "theirs", attachments: [] };
    await world.stub.submit(lane, theirs, new AbortController().signal);
    const { read } = world.stub;
    // A tool that runs without an ask.
    world.stub.read = async (...args) => ({ ...(await read.apply(world.stub, args)), asks: [] });
    await world.clock.advance(60 * minute);
    expect(await world.stub.read(lane, lane.sessionId, null)).toMatchObject({ status: "busy" });
    expect(world.prompts()).toHaveLength(2);
  });

  test("occasional failed reads do not postpone the repair of a hung session forever", async () => {
    await run({ script: { turns: [{ steps: [{ hang: true }] }, { steps: [{ say: "Fresh, 1." }] }] } });
    const { read } = world.stub;
    let count = 0;
    world.stub.read = async (...args) => {
      count += 1;
      if (count % 5 === 0) throw new Error("no answer");
      return read.apply(world.stub, args);
    };
    await world.send({ id: "m1" });
    await world.clock.advance(45 * minute);
    expect(await world.delivery("m1")).toMatchObject({ status: "responded", repairs: 1 });
  });

  test("nothing is sent into a session that somebody else keeps busy", async () => {
    await run({
      script: { turns: [{ steps: [{ say: "Hello, 1." }] }, { when: "theirs", steps: [{ wait: minute }] }] },
    });
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    const lane = await world.waybill.store.lane("lane");
    if (!lane?.sessionId) throw new Error("no session");
    const theirs = { messageId: "theirs", partId: "p", sessionId: lane.sessionId, text: "theirs", attachments: [] };
    await world.stub.submit(lane, theirs, new AbortController().signal);
    await world.send({ id: "m2" });
    await world.clock.advance(50 * second);
    expect(await world.delivery("m2")).toMatchObject({ status: "pending" });
    expect(world.waybill.courier.waitReason("lane")).toBe("session_busy");
    expect(world.prompts()).toHaveLength(2);
    await world.clock.until(() => world.prompts().length === 3);
  });

  test("a prompt that was merged into a later one is retried with new ids, never sent again", async () => {
    await run({
      script: {
        turns: [
          { when: "ours", steps: [{ wait: minute }, { say: "For you, 1." }] },
          { when: "theirs", steps: [{ say: "For them, 2." }] },
          { when: "ours", steps: [{ say: "For you, 3." }] },
        ],
      },
    });
    await world.send({ id: "m1", text: "ours" });
    const lane = await world.waybill.store.lane("lane");
    if (!lane?.sessionId) throw new Error("no session");
    const theirs = { messageId: "theirs", partId: "p", sessionId: lane.sessionId, text: "theirs", attachments: [] };
    await world.stub.submit(lane, theirs, new AbortController().signal);
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 2 });
    const ours = world.prompts().filter((prompt) => prompt.text.includes("ours"));
    expect(new Set(ours.map((prompt) => prompt.id)).size).toBe(2);
    expect(await world.mail()).toMatchObject([{ text: "For you, 3." }]);
  });
});

describe("providers and tools", () => {
  test.each([
    ["Insufficient balance", "provider_billing"],
    ["Invalid API key provided", "provider_auth"],
  ])("%s is never retried and never proof", async (words, reason) => {
    await run({ script: { always: [{ steps: [{ error: words }] }] } });
    await world.send({ id: "m1" });
    expect(await world.reaches("m1", "failed_terminal")).toMatchObject({ attempts: 1, lastReason: reason });
  });

  test.each([400, 404, 422])("a request that the provider rejects with %i is not retried", async (status) => {
    await run({ script: { always: [{ steps: [{ error: "messages.0.content: unexpected value", status }] }] } });
    await world.send({ id: "m1" });
    const failed = await world.reaches("m1", "failed_terminal");
    expect(failed).toMatchObject({ attempts: 1, lastReason: "provider_rejected" });
    expect(await world.waybill.store.lane("lane")).toMatchObject({ pausedReason: null });
  });

  test("a chat message goes before the retry of an earlier one, whose sender is notified and which is not retried", async () => {
    const turns = [{ when: "First", steps: [{ error: "Overloaded", status: 529 }] }];
    await run({ script: { turns, always: [{ steps: [{ say: "Both are 4." }] }] } });
    await world.send({ id: "m1", text: "First?", source: "ui" });
    await world.reaches("m1", "retry_scheduled");
    await world.send({ id: "m2", text: "Second?", source: "ui" });
    expect(await world.reaches("m2", "responded")).toMatchObject({ attempts: 1 });
    const first = await world.reaches("m1", "failed_terminal");
    expect(first).toMatchObject({ attempts: 1, lastReason: "superseded_by_later_message" });
    expect(world.prompts().map(({ text }) => text)).toEqual(["First?", "Second?"]);
    const [said] = await world.mail();
    expect(said?.text).toContain("waybill retry m1");
  });

  test.each([
    ["that was already waiting", "ui", "ui", true],
    ["from a program", "ui", "manual", false],
    ["after one from a program", "manual", "ui", false],
  ] as const)("a message %s does not end the retries of an earlier one", async (_, first, second, isEarly) => {
    const turns = [{ when: "First", steps: [{ error: "Overloaded", status: 529 }] }];
    await run({ script: { turns, always: [{ steps: [{ say: "It is 4." }] }] } });
    await world.send({ id: "m1", text: "First?", source: first });
    if (isEarly) await world.send({ id: "m2", text: "Second?", source: second });
    await world.reaches("m1", "retry_scheduled");
    if (!isEarly) await world.send({ id: "m2", text: "Second?", source: second });
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 2 });
    await world.reaches("m2", "responded");
  });

  test("a provider error in plain text is not an answer", async () => {
    await run({
      script: { turns: [{ steps: [{ say: "Error: rate limit exceeded" }] }, { steps: [{ say: "Now: 3." }] }] },
    });
    await world.send({ id: "m1" });
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 2 });
    expect(await world.mail()).toMatchObject([{ text: "Error: rate limit exceeded" }, { text: "Now: 3." }]);
  });

  test("a successful tool call answers a do, before or after a failed one", async () => {
    await run({
      ...toolLane,
      script: {
        turns: [
          {
            steps: [
              { tool: "bash", fails: true },
              { tool: "edit", output: "ok" },
            ],
          },
        ],
      },
    });
    await world.send({ id: "m1", actionMode: "do" });
    expect(await world.reaches("m1", "responded")).toMatchObject({ proof: { by: "tool" }, attempts: 1 });
  });

  test("a message with attachments fails with a reason if they cannot be sent, instead of going as text alone", async () => {
    await run({ lanes: [{ runtime: "elsewhere" }] });
    const zip = { name: "a.zip", mimeType: "application/zip", bytes: Buffer.from("PK") };
    await world.send({ id: "m1", attachments: [await world.waybill.attachments.store(zip)] });
    await world.waybill.store.changeLane("lane", { runtime: "stub" });
    await world.waybill.courier.moveLane("lane");
    expect(await world.reaches("m1", "failed_terminal")).toMatchObject({
      lastReason: 'attachments_not_supported: takes no files of type application/zip ("a.zip")',
      attempts: 0,
    });
    expect(world.prompts()).toEqual([]);
  });

  test("a message with its own instructions fails if the runtime takes none", async () => {
    await run({ script: {} });
    await world.send({ id: "m1", system: "Be brief." });
    expect(await world.reaches("m1", "failed_terminal")).toMatchObject({
      lastReason: "system_not_supported",
      attempts: 0,
    });
    expect(world.prompts()).toEqual([]);
  });
});
