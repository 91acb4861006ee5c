import { describe, expect, test } from "vitest";
import { laneAddress, personAddress } from "../../src/core/message/message.ts";
import type { AgentMessage } from "../../src/mail/agent-mail.ts";
import { agentService } from "../../src/service/agents.ts";
import { createService } from "../../src/service/create-service.ts";
import type { World, WorldOptions } from "../support/daemon/waybill.ts";
import { aLane, startWorld } from "../support/daemon/waybill.ts";

const minute = 60_000;
const never = new AbortController().signal;
const tom = { kind: "lane", lane: "tom" } as const;
const anna = { kind: "lane", lane: "anna" } as const;

type Scripts = NonNullable<WorldOptions["scripts"]>;

/** Tom and Anna work in a team and reply by tool. */
async function aTeam(scripts: Scripts = {}, more: Partial<WorldOptions> = {}) {
  const world = await startWorld({
    lanes: ["tom", "anna"].map((id) => ({ id, team: "core", member: id, contract: "tool" as const })),
    scripts: { tom: {}, anna: {}, ...scripts },
    ...more,
  });
  const agents = agentService({ engine: world.waybill, draining: never });
  const service = createService({
    engine: world.waybill,
    draining: never,
    resolveDirectory: (path) => path,
    allowedDirectories: ["/tmp"],
    stateDirectories: [],
    runtimeDescriptors: [],
    defaults: { runtime: "stub", model: null },
    restart: () => {},
    checkRestart: () => {},
    now: () => world.clock.now(),
    retriesAreOff: false,
  });
  return { world, agents, service };
}

/** Moves the clock until the message to a lane has this status. */
async function reaches(world: World, lane: string, messageId: string, ...wanted: string[]) {
  await world.clock.until(async () => wanted.includes((await world.delivery(messageId, lane)).status));
  return world.delivery(messageId, lane);
}

const answers = (text: string, when?: string) => ({
  ...(when ? { when } : {}),
  steps: [{ reply: text, outcome: "answer" }],
});
const refused = (code: string) => expect.objectContaining({ code });

describe("an agent that writes to another", () => {
  test("gets the answer in its own lane, which needs no reply, and the delivery is proven by its destination", async () => {
    const { world, agents } = await aTeam({
      anna: { always: [answers("Port 8080.")] },
      tom: { always: [{ steps: [{ say: "Noted." }] }] },
    });
    const { messageId, to, waits } = await agents.send(tom, { to: "anna", text: "Which port?", actionMode: "ask" });
    expect([to, waits]).toEqual(["anna", null]);
    expect(await reaches(world, "anna", messageId, "responded")).toMatchObject({
      proof: { by: "destination_reply", visibleReply: { correlation: "relayOfMessageId", mailbox: "tom" } },
    });
    const [back] = await world.waybill.store.repliesIn(laneAddress("tom"), messageId);
    expect(back).toMatchObject({ from: "anna", text: "Port 8080.", actionMode: "notify", outcome: "answer" });
    expect(await reaches(world, "tom", back?.id ?? "", "responded")).toMatchObject({ proof: { by: "notified_turn" } });
    // Tom's comment on that goes to no one.
    expect(await world.waybill.store.mailOf(laneAddress("anna"), 10)).toHaveLength(1);
    expect(await world.mail()).toEqual([]);
  });

  test("is also answered by a plain text, once", async () => {
    const { world, agents } = await aTeam({ anna: { always: [{ steps: [{ say: "Port 8080 is free." }] }] } });
    const { messageId } = await agents.send(tom, { to: "anna", text: "Which port?" });
    expect(await reaches(world, "anna", messageId, "responded")).toMatchObject({
      diagnostics: ["answered_in_plain_text"],
    });
    const back = await world.waybill.store.repliesIn(laneAddress("tom"), messageId);
    expect(back.map(({ from, text }) => [from, text])).toEqual([["anna", "Port 8080 is free."]]);
  });

  test("is notified immediately when its message failed for good", async () => {
    const { world, agents } = await aTeam({ anna: { always: [{ steps: [{ error: "Bad request", status: 400 }] }] } });
    const { messageId } = await agents.send(tom, { to: "anna", text: "Which port?" });
    await reaches(world, "anna", messageId, "failed_terminal");
    const [notice] = await world.waybill.store.mailOf(laneAddress("tom"), 10);
    expect(notice).toMatchObject({ from: "waybill", relayOfMessageId: messageId, actionMode: "notify" });
    expect(notice?.text).toContain("was not answered");
    expect(await agents.wait(tom, messageId, never)).toMatchObject({ state: "failed", replies: [] });
  });

  test("is told when the recipient's program is not running, and the message waits", async () => {
    const { world, agents } = await aTeam();
    await world.waybill.store.changeLane("anna", { runtime: "elsewhere" });
    const { waits, messageId } = await agents.send(tom, { to: "anna", text: "Which port?" });
    expect(waits).toBe("the program of anna is not running");
    expect((await world.delivery(messageId, "anna")).status).toBe("pending");
  });

  test("needs no retry for progress followed by the answer", async () => {
    const steps = [
      { reply: "Half of it is done.", outcome: "progress" },
      { wait: 1000 },
      { reply: "Port 8080.", outcome: "answer" },
    ];
    const { world, agents } = await aTeam({ anna: { always: [{ steps }] } });
    const { messageId } = await agents.send(tom, { to: "anna", text: "Which port?" });
    const record = await reaches(world, "anna", messageId, "responded");
    expect(record).toMatchObject({ attempts: 1, proof: { outcome: "answer" } });
    expect((await agents.wait(tom, messageId, never)).replies.map(({ outcome }) => outcome)).toEqual([
      "progress",
      "answer",
    ]);
  });

  test("an acknowledgement that names its message is shown, closes nothing, and the agent is asked again", async () => {
    const { world, agents } = await aTeam({
      anna: { turns: [{ steps: [{ reply: "Understood.", outcome: "answer" }] }], always: [answers("Port 8080.")] },
    });
    const { messageId } = await agents.send(tom, { to: "anna", text: "Which port?", actionMode: "ask" });
    const record = await reaches(world, "anna", messageId, "responded");
    expect(record).toMatchObject({ attempts: 2, proof: { by: "destination_reply" } });
    const back = await world.waybill.store.repliesIn(laneAddress("tom"), messageId);
    expect(back.map(({ text }) => text)).toEqual(["Understood.", "Port 8080."]);
  });

  test("message_send keeps its relayOfMessageId", async () => {
    const { world, agents } = await aTeam({ anna: { always: [{ steps: [{ hang: true }] }] } });
    const { messageId } = await agents.send(tom, { to: "anna", text: "Which port?" });
    const reply = await agents.send(anna, {
      to: "tom",
      text: "Port 8080.",
      relayOfMessageId: messageId,
      outcome: "answer",
    });
    const stored = await world.waybill.store.message(laneAddress("tom"), reply.messageId);
    expect(stored).toMatchObject({ relayOfMessageId: messageId, fromLane: "anna", source: "mcp" });
    await reaches(world, "anna", messageId, "responded");
  });

  test("a substantive message without relayOfMessageId is accepted, and proves nothing about the waiting one", async () => {
    const { world, agents } = await aTeam({ anna: { always: [{ steps: [{ hang: true }] }] } });
    const { messageId } = await agents.send(tom, { to: "anna", text: "Which port?" });
    await reaches(world, "anna", messageId, "accepted");
    await agents.send(anna, { to: "tom", text: "By the way, 3 tests fail in CI." });
    await world.clock.advance(minute);
    expect(await world.delivery(messageId, "anna")).toMatchObject({ status: "accepted", proof: null });
    expect(await world.waybill.store.mailOf(laneAddress("tom"), 10)).toHaveLength(1);
  });

  test("a repeated call in the same turn is the same message, and in another turn a new one", async () => {
    const { world, agents } = await aTeam({ anna: { always: [answers("Yes.")] } });
    const first = await agents.send(tom, { to: "anna", text: "Is it green?" });
    expect(await agents.send(tom, { to: "anna", text: "Is it green?" })).toMatchObject({
      known: true,
      messageId: first.messageId,
    });
    await world.clock.advance(20 * minute);
    expect(await agents.send(tom, { to: "anna", text: "Is it green?" })).toMatchObject({ known: false });
  });
});

describe("what an agent may not send", () => {
  const cases: [string, AgentMessage, string][] = [
    ["to an unknown recipient", { to: "ana", text: "Which port is it?" }, "recipient_unknown"],
    ["to a path", { to: "../anna", text: "Which port is it?" }, "team_unknown"],
    ["to itself", { to: "tom", text: "Which port is it?" }, "recipient_is_sender"],
    ["to Waybill", { to: "Waybill", text: "Which port is it?" }, "recipient_unknown"],
    ["an acknowledgement that names nothing", { to: "anna", text: "Understood, will do." }, "acknowledgement_only"],
    [
      "a reply to a message it never got",
      { to: "anna", text: "Port 8080.", relayOfMessageId: "m-9", outcome: "answer" },
      "relay_unknown",
    ],
  ];
  test.each(cases)("%s", async (_, message, code) => {
    const { world, agents } = await aTeam();
    await expect(agents.send(tom, message)).rejects.toEqual(refused(code));
    expect(await world.waybill.store.mailOf(laneAddress("anna"), 10)).toEqual([]);
  });

  test("an unknown name is refused with the closest known one", async () => {
    const { agents } = await aTeam();
    await expect(agents.send(tom, { to: "ana", text: "Which port is it?" })).rejects.toMatchObject({
      hint: expect.stringContaining('Did you mean "anna"?'),
    });
  });

  test("a reply to its own message, to the wrong one, and without an outcome", async () => {
    const { world, agents } = await aTeam();
    const { messageId } = await agents.send(tom, { to: "anna", text: "Which port is it?" });
    const reply = { text: "Port 8080.", relayOfMessageId: messageId, outcome: "answer" } as const;
    await expect(agents.send(tom, { ...reply, to: "anna" })).rejects.toMatchObject({
      message: expect.stringContaining("is your own"),
    });
    await expect(agents.send(anna, { ...reply, to: "user" })).rejects.toEqual(refused("wrong_recipient"));
    await expect(agents.send(anna, { ...reply, to: "tom", outcome: undefined })).rejects.toEqual(
      refused("outcome_missing"),
    );
    expect(await world.waybill.store.mailOf(laneAddress("tom"), 10)).toEqual([]);
    await expect(agents.send(anna, { ...reply, to: "Tom" })).resolves.toMatchObject({ to: "tom" });
  });

  test("more messages per minute than allowed, until the minute is over", async () => {
    const { world, agents } = await aTeam({}, { policy: { maxMessagesPerMinute: 3, maxExchanges: 100 } });
    const send = (n: number) => agents.send(tom, { to: "user", text: `Result ${n} is in.` });
    for (const n of [1, 2, 3]) await send(n);
    await expect(send(4)).rejects.toEqual(refused("rate_limited"));
    // A message that already exists may be repeated.
    await expect(send(1)).resolves.toMatchObject({ known: true });
    await world.clock.advance(minute);
    await expect(send(4)).resolves.toMatchObject({ known: false });
  });
});

describe("names", () => {
  test("the lead is found by its aliases, a person by name, another team's member by both names, a lane by its id", async () => {
    const { agents, service } = await aTeam();
    await service.putMember("core", { ...noSettings, name: "anna", kind: "lane", role: "lead" });
    await service.putMember("core", { ...noSettings, name: "ada", kind: "person", displayName: "Ada Lovelace" });
    const to = async (name: string) => (await agents.send(tom, { to: name, text: `Hello ${name}, 3 tests fail.` })).to;
    expect(await to("lead")).toBe("anna");
    expect(await to("Team-Lead")).toBe("anna");
    expect(await to("@Anna")).toBe("anna");
    expect(await to("core/anna")).toBe("anna");
    expect(await to("Ada Lovelace")).toBe("ada");
    expect(await to("user")).toBe("user");
  });

  const noSettings = { lane: null, displayName: null, role: null, color: null, contract: null };
  test.each(["../etc", "a/b", "Tom", "tоm", "user", "waybill", "lead", "x".repeat(65), "", "a b"])(
    "%j cannot be the name of a member",
    async (name) => {
      const { service } = await aTeam();
      await expect(service.putMember("core", { ...noSettings, name, kind: "native" })).rejects.toEqual(
        refused("name_invalid"),
      );
    },
  );

  test("a name that means somebody else cannot be taken in any form", async () => {
    const { service } = await aTeam();
    const shown = { ...noSettings, name: "bob", kind: "native", displayName: "User" } as const;
    await expect(service.putMember("core", shown)).rejects.toEqual(refused("member_invalid"));
    const lane = {
      displayName: null,
      runtime: "stub",
      directory: "/tmp",
      agent: null,
      model: null,
      contract: "tool",
    } as const;
    for (const member of ["user", "waybill", "tom"]) {
      await expect(service.putLane({ ...lane, id: "bob", team: "core", member })).rejects.toEqual(
        refused("lane_invalid"),
      );
    }
    await expect(service.putLane({ ...lane, id: "bob", team: "core", member: null })).rejects.toEqual(
      refused("lane_invalid"),
    );
  });

  test("two members cannot work in one lane", async () => {
    const { service } = await aTeam();
    const member = { ...noSettings, name: "bob", kind: "lane", lane: "anna" } as const;
    await expect(service.putMember("core", member)).rejects.toEqual(refused("lane_taken"));
  });
});

describe("two agents that only write to each other", () => {
  const thanks = (n: number): AgentMessage => ({
    to: n % 2 ? "anna" : "tom",
    text: `Thank you for number ${n}, it works well.`,
    actionMode: "notify",
  });
  const rounds = async (agents: Awaited<ReturnType<typeof aTeam>>["agents"], from: number, to: number) => {
    const sent = [];
    for (let n = from; n <= to; n++) sent.push(await agents.send(n % 2 ? tom : anna, thanks(n)));
    return sent;
  };
  const quiet = { always: [{ steps: [{ say: "Noted." }] }] };

  test("are held with an alert, continue when a person releases them, and are counted from zero", async () => {
    const { world, agents, service } = await aTeam({ tom: quiet, anna: quiet }, { policy: { maxExchanges: 4 } });
    const sent = await rounds(agents, 1, 6);
    expect(sent.map(({ waits }) => waits !== null)).toEqual([false, false, false, false, true, true]);
    await world.clock.advance(minute);
    const held = sent.slice(4).map(({ messageId }, index) => world.delivery(messageId, index ? "tom" : "anna"));
    expect((await Promise.all(held)).map(({ status, heldReason }) => [status, heldReason])).toEqual([
      ["pending", "loop_guard"],
      ["pending", "loop_guard"],
    ]);
    expect(await service.holds()).toMatchObject([{ one: "anna", other: "tom", count: 6 }]);
    const { items } = await world.waybill.store.readLog({ types: ["alert"], limit: 10 });
    expect(items).toMatchObject([{ alert: { kind: "loop" } }]);

    expect(await service.releaseHold(["tom", "anna"])).toBe(2);
    await reaches(world, "anna", sent[4]?.messageId ?? "", "responded");
    await reaches(world, "tom", sent[5]?.messageId ?? "", "responded");
    expect(await service.holds()).toEqual([]);
    const again = await rounds(agents, 7, 11);
    expect(again.map(({ waits }) => waits !== null)).toEqual([false, false, false, false, true]);
  });

  test("do not block a person's message while held, and such a message resets their count before that", async () => {
    const { world, agents } = await aTeam({ tom: quiet, anna: quiet }, { policy: { maxExchanges: 4 } });
    await rounds(agents, 1, 4);
    await world.waybill.admission.admit({
      id: "p1",
      to: { lane: "anna" },
      from: "user",
      text: "Hello 1",
      actionMode: "notify",
    });
    const sent = await rounds(agents, 5, 9);
    expect(sent.map(({ waits }) => waits !== null)).toEqual([false, false, false, false, true]);
    await world.waybill.admission.admit({
      id: "p2",
      to: { lane: "anna" },
      from: "user",
      text: "Hello 2",
      actionMode: "notify",
    });
    await reaches(world, "anna", "p2", "responded");
    expect((await world.delivery(sent[4]?.messageId ?? "", "anna")).status).toBe("pending");
  });

  test("are counted from zero after work in files", async () => {
    const works = { always: [{ steps: [{ tool: "edit" }, { say: "Changed 1 file." }] }] };
    const { world, agents } = await aTeam({ tom: quiet, anna: works }, { policy: { maxExchanges: 4 } });
    const sent = await rounds(agents, 1, 3);
    await reaches(world, "anna", sent[2]?.messageId ?? "", "responded");
    expect((await rounds(agents, 4, 7)).map(({ waits }) => waits)).toEqual([null, null, null, null]);
  });

  test("cannot be released unless held, and held messages survive a stop and are delivered when their writer is removed", async () => {
    const { world, agents, service } = await aTeam({ tom: quiet, anna: quiet }, { policy: { maxExchanges: 2 } });
    await expect(service.releaseHold(["tom", "anna"])).rejects.toEqual(refused("not_possible"));
    const sent = await rounds(agents, 1, 3);
    expect(await service.holds()).toHaveLength(1);
    await service.abort("anna");
    expect((await world.delivery(sent[2]?.messageId ?? "", "anna")).status).toBe("pending");
    await service.removeLane("tom", true);
    expect(await service.holds()).toEqual([]);
    await reaches(world, "anna", sent[2]?.messageId ?? "", "responded");
  });

  test("keep their count and their hold across a restart", async () => {
    const { world, agents } = await aTeam({ tom: quiet, anna: quiet }, { policy: { maxExchanges: 2 } });
    await rounds(agents, 1, 3);
    await world.stop();
    await world.start();
    const anew = agentService({ engine: world.waybill, draining: never });
    expect((await rounds(anew, 4, 4))[0]?.waits).not.toBeNull();
  });
});

describe("a team", () => {
  test("that is paused gets nothing and continues where it was, and a lane paused on its own stays paused", async () => {
    const { world, service } = await aTeam({ anna: { always: [answers("Port 8080.")] } });
    await service.pauseTeam("core");
    const { delivery, waits } = await service.send({
      id: "m1",
      to: { team: "core", member: "anna" },
      from: "user",
      text: "Which port?",
    });
    expect([delivery?.record.status, waits]).toEqual(["pending", "anna is paused (team_paused)"]);
    await world.clock.advance(10 * minute);
    expect(world.prompts()).toEqual([]);
    await service.pause("tom", "lunch");
    expect((await service.resumeTeam("core")).members.map(({ name, state }) => [name, state])).toEqual([
      ["tom", "paused"],
      ["anna", "idle"],
    ]);
    await reaches(world, "anna", "m1", "responded");
  });

  test("that is stopped ends running turns, keeps waiting messages, and notifies their senders", async () => {
    const { world, agents, service } = await aTeam({
      anna: { turns: [{ steps: [{ hang: true }] }], always: [answers("Port 8080.")] },
    });
    await service.send({ id: "m1", to: { lane: "anna" }, from: "user", text: "Run for long." });
    await reaches(world, "anna", "m1", "accepted");
    const { messageId } = await agents.send(tom, { to: "anna", text: "Which port?" });
    await service.stopTeam("core");
    await reaches(world, "anna", "m1", "cancelled");
    expect((await world.delivery(messageId, "anna")).status).toBe("pending");
    const [told] = await world.waybill.store.mailOf(laneAddress("tom"), 10);
    expect(told).toMatchObject({ from: "waybill", text: expect.stringContaining("team core is stopped") });
    await service.resumeTeam("core");
    await reaches(world, "anna", messageId, "responded");
  });

  test("whose turn is stopped notifies the agent that waited for it", async () => {
    const { world, agents, service } = await aTeam({ anna: { always: [{ steps: [{ hang: true }] }] } });
    const { messageId } = await agents.send(tom, { to: "anna", text: "Which port?" });
    await reaches(world, "anna", messageId, "accepted");
    await service.stopTeam("core");
    await reaches(world, "anna", messageId, "cancelled");
    const [told] = await world.waybill.store.mailOf(laneAddress("tom"), 10);
    expect(told).toMatchObject({ from: "waybill", relayOfMessageId: messageId });
    expect(told?.text).toContain("stopped_by_person");
  });

  test("that is deleted while paused leaves lanes that continue", async () => {
    const { world, service } = await aTeam({ anna: { always: [answers("Port 8080.")] } });
    await service.pauseTeam("core");
    await service.send({ id: "m1", to: { lane: "anna" }, from: "user", text: "Which port?" });
    await service.removeTeam("core");
    await reaches(world, "anna", "m1", "responded");
  });

  test("gives a member that was shut down nothing until it is added again", async () => {
    const { world, service } = await aTeam({ anna: { always: [answers("Port 8080.")] } });
    const team = await service.shutDownMember("core", "anna");
    expect(team.members.map(({ state }) => state)).toEqual(["idle", "terminated"]);
    await service.send({ id: "m1", to: { lane: "anna" }, from: "user", text: "Which port?" });
    await world.clock.advance(10 * minute);
    expect((await world.delivery("m1", "anna")).status).toBe("pending");
    const settings = {
      name: "anna",
      kind: "lane",
      lane: null,
      displayName: null,
      role: null,
      color: null,
      contract: null,
    } as const;
    await service.putMember("core", settings);
    await reaches(world, "anna", "m1", "responded");
  });

  test("still delivers waiting messages of a removed member in its lane", async () => {
    const { world, agents, service } = await aTeam({ anna: { always: [answers("Port 8080.")] } });
    await service.pauseTeam("core");
    const { messageId } = await agents.send(tom, { to: "anna", text: "Which port?" });
    await service.removeMember("core", "anna");
    await reaches(world, "anna", messageId, "responded");
    await expect(service.send({ to: { team: "core", member: "anna" }, from: "user", text: "Hello?" })).rejects.toEqual(
      refused("member_unknown"),
    );
  });

  test("publishes member states as they change: working, blocked on an ask, active, and idle after five minutes", async () => {
    const { world, service } = await aTeam({
      anna: {
        always: [{ steps: [{ ask: "permission" }, { wait: 1000 }, { reply: "Port 8080.", outcome: "answer" }] }],
      },
    });
    const states: string[] = [];
    world.waybill.store.onLog((items) => {
      for (const item of items) if (item.type === "member" && item.member === "anna") states.push(item.state);
    });
    await service.send({ id: "m1", to: { lane: "anna" }, from: "user", text: "Which port?" });
    await world.clock.until(async () => (await service.asks()).length === 1);
    await world.clock.until(async () => states.includes("blocked"));
    await service.answer((await service.asks())[0]?.id ?? "", { decision: "once" });
    await reaches(world, "anna", "m1", "responded");
    await world.clock.until(async () => states.at(-1) === "active");
    await world.clock.advance(6 * minute);
    expect(states).toEqual(["working", "blocked", "working", "active", "idle"]);
    expect((await service.team("core")).members[1]?.state).toBe("idle");
  });

  test("is created with its member by a lane that names both, and loses it when the lane is removed", async () => {
    const { world, service } = await aTeam();
    const settings = {
      id: "bob",
      displayName: null,
      runtime: "stub",
      directory: "/tmp",
      agent: null,
      model: null,
      contract: "tool",
    } as const;
    await world.waybill.store.putLane({ ...settings, team: "Other", member: "Bob", createdAt: 1 });
    expect((await service.team("other")).members).toMatchObject([
      { name: "bob", kind: "lane", lane: "bob", contract: "tool" },
    ]);
    await service.removeLane("bob", false);
    expect((await service.team("other")).members).toEqual([]);
  });
});

describe("a member that somebody else runs", () => {
  const settings = {
    name: "nate",
    kind: "native",
    lane: null,
    displayName: null,
    role: null,
    color: null,
    contract: null,
  } as const;

  test("fetches its messages, which marks them as read, and its reply is the answer", async () => {
    const { agents, service } = await aTeam();
    await service.putMember("core", settings);
    const nate = await agents.callerOf(await service.memberToken("core", "nate"));
    if (!nate) throw new Error("the token is not accepted");
    const { messageId } = await agents.send(tom, { to: "nate", text: "Which port?" });
    const waiting = agents.wait(tom, messageId, never);
    expect(await agents.list(nate, { box: "received", unreadOnly: true, limit: 10 })).toMatchObject([
      { id: messageId, from: "tom" },
    ]);
    // A fetch whose response was lost hides nothing.
    expect(await agents.list(nate, { box: "received", unreadOnly: true, limit: 10 })).toHaveLength(1);
    await agents.send(nate, { to: "tom", text: "Port 8080.", relayOfMessageId: messageId, outcome: "answer" });
    expect(await waiting).toMatchObject({ state: "answered", replies: [{ from: "nate", text: "Port 8080." }] });
    expect(await agents.list(nate, { box: "received", unreadOnly: true, limit: 10 })).toEqual([]);
    const note = await agents.send(tom, { to: "nate", text: "It is port 8081 now.", actionMode: "notify" });
    await agents.list(nate, { box: "received", read: [note.messageId], limit: 10 });
    expect(await agents.list(nate, { box: "received", unreadOnly: true, limit: 10 })).toEqual([]);
    expect((await service.team("core")).members[2]).toMatchObject({ name: "nate", state: "active" });
  });

  test("gets nothing while its team is paused, and is refused after its shutdown", async () => {
    const { agents, service } = await aTeam();
    await service.putMember("core", settings);
    const token = await service.memberToken("core", "nate");
    const nate = { kind: "member", team: "core", member: "nate" } as const;
    await service.pauseTeam("core");
    const { waits } = await agents.send(tom, { to: "nate", text: "Which port is it?" });
    expect(waits).toBe("nate is paused (team_paused)");
    await expect(agents.list(nate, { box: "received", limit: 10 })).rejects.toEqual(refused("not_possible"));
    await service.resumeTeam("core");
    expect(await agents.list(nate, { box: "received", limit: 10 })).toHaveLength(1);
    await service.shutDownMember("core", "nate");
    expect(await agents.callerOf(token)).toBeNull();
  });

  test("has a token that ends with it, and gets another one when it is added again", async () => {
    const { world, agents, service } = await aTeam();
    await service.putMember("core", settings);
    const token = await service.memberToken("core", "nate");
    await service.removeMember("core", "nate");
    expect(await agents.callerOf(token)).toBeNull();
    await world.clock.advance(1000);
    await service.putMember("core", settings);
    expect(await agents.callerOf(token)).toBeNull();
    expect(await agents.callerOf(`${token.slice(0, -2)}xx`)).toBeNull();
    expect(await agents.callerOf("wba.bGFuZTp0b20.x")).toBeNull();
  });

  test("a lane that is removed and created again has another token", async () => {
    const { world, agents, service } = await aTeam();
    const { store, tokens } = world.waybill;
    const token = (await tokens.tokenOf(tom)) ?? "";
    await service.removeLane("tom", true);
    expect(await agents.callerOf(token)).toBeNull();
    await store.putLane(aLane({ id: "tom", createdAt: world.clock.now() + 1 }));
    expect(await agents.callerOf(token)).toBeNull();
    expect(await agents.callerOf((await tokens.tokenOf(tom)) ?? "")).toEqual(tom);
  });

  test("no token speaks for another lane", async () => {
    const { world, agents } = await aTeam();
    const token = (await world.waybill.tokens.tokenOf(tom)) ?? "";
    expect(await agents.callerOf(token)).toEqual(tom);
    const [head, , mac] = token.split(".");
    const forged = [head, Buffer.from("lane:anna").toString("base64url"), mac].join(".");
    expect(await agents.callerOf(forged)).toBeNull();
  });
});

describe("a person's mailbox", () => {
  test("has read marks, newest first", async () => {
    const { world, agents, service } = await aTeam();
    for (const n of [1, 2, 3]) await agents.notifyPerson(tom, { text: `Result ${n} is in.` });
    const unread = async () =>
      (await service.inbox("user", { limit: 10, unreadOnly: true })).items.map(({ text }) => text);
    expect(await unread()).toEqual(["Result 3 is in.", "Result 2 is in.", "Result 1 is in."]);
    const [newest] = (await service.inbox("User", { limit: 1 })).items;
    expect(await service.markRead("user", [newest?.id ?? "", "unknown"])).toBe(1);
    expect(await unread()).toEqual(["Result 2 is in.", "Result 1 is in."]);
    expect(await world.waybill.store.unreadByPerson()).toEqual({ user: 2 });
    expect(await service.markRead("user", "all")).toBe(2);
    expect(await unread()).toEqual([]);
    expect((await world.waybill.store.mailOf(personAddress("user"), 10)).every(({ readAt }) => readAt !== null)).toBe(
      true,
    );
  });
});

describe("message_wait", () => {
  test("returns when the other has answered, even across a restart", async () => {
    const { world, agents } = await aTeam({
      anna: { always: [{ steps: [{ wait: minute }, { reply: "Port 8080.", outcome: "answer" }] }] },
    });
    const { messageId } = await agents.send(tom, { to: "anna", text: "Which port?" });
    const stopping = new AbortController();
    const before = agents.wait(tom, messageId, stopping.signal);
    stopping.abort();
    expect(await before).toMatchObject({ state: "waiting", replies: [] });
    await world.stop();
    await world.start();
    const after = agentService({ engine: world.waybill, draining: never }).wait(tom, messageId, never);
    await reaches(world, "anna", messageId, "responded");
    expect(await after).toMatchObject({ state: "answered", replies: [{ text: "Port 8080." }] });
  });

  test("only accepts the caller's own messages", async () => {
    const { agents } = await aTeam();
    const { messageId } = await agents.send(tom, { to: "anna", text: "Which port?" });
    await expect(agents.wait(anna, messageId, never)).rejects.toEqual(refused("message_unknown"));
  });
});

test("a briefing names the agent, its team, and the messages it still has to answer", async () => {
  const { agents, service } = await aTeam();
  await service.pauseTeam("core");
  await service.send({ id: "m1", to: { lane: "anna" }, from: "user", text: "Which port?" });
  expect(await agents.briefing(anna)).toMatchObject({
    you: { name: "anna", state: "paused" },
    team: { name: "core", state: "paused", members: [{ name: "tom" }, { name: "anna" }] },
    open: [{ id: "m1", from: "user", isRead: false }],
  });
});
