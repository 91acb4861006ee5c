import { describe, expect, it } from "vitest";
import { accepted, failedForGood, move, proven, submit } from "../../../../test/support/core/deliveries.ts";
import { anEvent } from "../../../../test/support/core/events.ts";
import { LaneHistory } from "../../../../test/support/core/lane-history.ts";
import { ManualClock, settled } from "../../../../test/support/core/manual-clock.ts";
import type { Answered, Asked } from "../../../../test/support/daemon/http-api.ts";
import { anApi, served, token } from "../../../../test/support/daemon/http-api.ts";
import type { TestService } from "../../../../test/support/daemon/test-service.ts";
import type { DeliveryEvent } from "../../../core/delivery/delivery-event.ts";
import type { DeliveryRecord } from "../../../core/delivery/record.ts";
import { endNote } from "../../../core/turn/delivery-notes.ts";
import type { EventBody } from "../../../core/turn/universal-event.ts";
import { AppError } from "../../../platform/app-error.ts";

const text = (words: string) => ({ type: "text", text: words });
/** A file mention in the format of OpenCode's terminal. */
const mention = (value: string) => ({
  type: "file",
  mime: "text/plain",
  url: `file:///tmp/${value.slice(1)}`,
  filename: value.slice(1),
  source: { type: "file", path: value.slice(1), text: { value, start: 0, end: value.length } },
});
const hello = { parts: [text("Hello.")] };
const post = (json: unknown): Asked => ({ method: "POST", json });
const session = "/opencode/session/ses_demo";

/** Publishes the agent's turn for a message and its end; `asked` was published before. */
async function answer(service: TestService, messageId: string, words: string, asked?: EventBody): Promise<void> {
  const history = new LaneHistory("demo");
  if (asked) history.tell(asked);
  history.admit(messageId);
  history.send(messageId);
  history.begin(messageId);
  history.says("said", words);
  history.end(messageId);
  const record = await sentTo(service);
  await move(service.store, record, submit(record), accepted(), proven());
  service.publish(...history.events.slice(asked ? 1 : 0));
}

/** Ends the delivery without a turn. */
async function fail(service: TestService, messageId: string, event: DeliveryEvent): Promise<void> {
  const { status, lastReason } = (await move(service.store, await sentTo(service), event)).record;
  const history = new LaneHistory("demo");
  history.admit(messageId);
  history.tell(endNote({ messageId, rounds: 1, status, lastReason }), { source: "daemon" });
  service.publish(...history.events);
}

describe("a prompt", () => {
  it("is in the ledger as soon as it is accepted, with the client's id or one in the same format", async () => {
    const { ask, service } = anApi();
    const given = await ask(
      `${session}/prompt_async`,
      post({ messageID: "msg_1", parts: [text("One."), text("Two.")] }),
    );
    expect([given.status, given.body]).toEqual([204, ""]);
    await ask(
      `${session}/prompt_async`,
      post({ ...hello, agent: "default", model: { providerID: "stub", modelID: "default" } }),
    );
    expect(service.sent).toEqual([
      { id: "msg_1", to: { lane: "demo" }, from: "user", text: "One.\n\nTwo.", source: "ui" },
      {
        id: expect.stringMatching(/^msg_[0-9a-f]{12}/),
        to: { lane: "demo" },
        from: "user",
        text: "Hello.",
        source: "ui",
      },
    ]);
  });

  it("sent again with the same id is delivered once, and with another text it is refused", async () => {
    const { ask, service } = anApi();
    const send = (words: string) => ask(`${session}/prompt_async`, post({ messageID: "msg_1", parts: [text(words)] }));
    expect([(await send("One.")).status, (await send("One.")).status]).toEqual([204, 204]);
    expect((await service.deliveries({ limit: 10 })).items).toHaveLength(1);
    expect((await send("Two.")).json()).toMatchObject({ data: { code: "message_conflict" } });
  });

  it.each([
    [{}, /parts/],
    [{ parts: [] }, /parts/],
    [{ parts: [text("  ")] }, /parts/],
    [{ parts: [{ ...text("Not for the model."), ignored: true }] }, /parts/],
    [{ parts: [{ type: "nope" }] }, /parts\.0/],
    [{ ...hello, messageID: "x" }, /messageID.*msg_/],
    [{ ...hello, messageID: `msg_${"x".repeat(200)}` }, /messageID/],
    [{ ...hello, model: { providerID: "stub" } }, /model\.modelID/],
    [{ ...hello, agent: "reviewer" }, /uses the agent/],
  ])("that is invalid is refused with the reason: %j", async (json, words) => {
    const { ask, service } = anApi();
    for (const path of ["message", "prompt_async"]) {
      const answer = await ask(`${session}/${path}`, post(json));
      expect([answer.status, answer.json()]).toMatchObject([400, { name: "BadRequest" }]);
      expect(answer.body).toMatch(words);
    }
    expect(service.sent).toEqual([]);
  });

  it.each([
    ["attachments_not_supported", { parts: [text("Look."), { type: "file", mime: "image/png", url: "data:," }] }],
    ["attachments_not_supported", { parts: [text("Look @a.ts."), { ...mention("@a.ts"), url: "file://%" }] }],
    ["attachments_not_supported", { parts: [text("Look @a.ts."), { ...mention("@a.ts"), url: "file://host/a.ts" }] }],
    ["not_served", { parts: [text("Look."), { type: "agent", name: "build" }] }],
    ["not_served", { parts: [{ type: "subtask", prompt: "x", description: "x", agent: "x" }] }],
    ["not_served", { ...hello, noReply: true }],
    ["not_served", { ...hello, system: "Be brief." }],
    ["not_served", { ...hello, tools: { bash: false } }],
    ["not_served", { ...hello, variant: "high" }],
    ["not_served", { ...hello, format: { type: "json_schema", schema: {} } }],
  ])("that requests something unsupported is refused as a whole (%s): %j", async (code, json) => {
    const { ask, service, errors } = anApi();
    const answer = await ask(`${session}/message`, post(json));
    const status = code === "not_served" ? 501 : 409;
    expect([answer.status, answer.json()]).toMatchObject([status, { data: { code } }]);
    expect([service.sent, errors]).toEqual([[], []]);
  });

  it("may have its own instructions if the runtime passes them on", async () => {
    const { ask, service } = anApi();
    service.runtimes = async () => [{ kind: "stub", ready: true, isDefault: true, models: [], takesSystem: true }];
    const send = (system: string) => ask(`${session}/prompt_async`, post({ ...hello, messageID: "msg_1", system }));
    expect([(await send("Be brief.")).status, (await send("Be brief.")).status]).toEqual([204, 204]);
    expect((await send("Be long.")).json()).toMatchObject({ data: { code: "message_conflict" } });
    expect(service.sent.map(({ system }) => system)).toContain("Be brief.");
    expect((await send("x".repeat(100_000))).status).toBe(400);
  });

  it("with its own instructions is refused with an explanation elsewhere, and may be sent without", async () => {
    const { ask, service } = anApi();
    const refused = await ask(`${session}/message`, post({ ...hello, system: "Be brief." }));
    expect([refused.status, refused.body]).toEqual([
      501,
      expect.stringMatching(/"stub\\?".*`system`.*Say it in the m/),
    ]);
    expect((await ask(`${session}/prompt_async`, post({ ...hello, system: " " }))).status).toBe(204);
    expect(service.sent).toMatchObject([{ text: "Hello." }]);
  });

  it("may name files in the agent's workspace", async () => {
    const { ask, service } = anApi();
    const parts = [text("Compare @src/a.ts#1-9 with @docs"), mention("@src/a.ts#1-9"), mention("@docs")];
    expect((await ask(`${session}/prompt_async`, post({ parts }))).status).toBe(204);
    expect(service.sent).toMatchObject([{ text: "Compare @src/a.ts#1-9 with @docs" }]);
  });

  it("is accepted with options that have no effect", async () => {
    const json = {
      ...hello,
      noReply: false,
      system: "",
      tools: { bash: true },
      format: { type: "text" },
      variant: "default",
    };
    expect((await anApi().ask(`${session}/prompt_async`, post(json))).status).toBe(204);
  });

  it("is refused in an unknown session, in a paused lane, and by a daemon that is shutting down", async () => {
    const { ask, service } = anApi();
    expect((await ask("/opencode/session/ses_nobody/message", post(hello))).status).toBe(404);
    await service.pause("demo", "over_budget");
    const paused = await ask(`${session}/message`, post(hello));
    expect([paused.status, paused.body]).toEqual([
      409,
      expect.stringMatching(/over_budget.*waybill lanes resume demo/),
    ]);
    await service.resume("demo");
    service.failure = new AppError({ code: "draining", message: "Ending.", retryable: true });
    expect((await ask(`${session}/prompt_async`, post(hello))).status).toBe(503);
  });
});

it("a prompt can be sent again with its id to wait for it, even if its lane was paused since", async () => {
  const { ask, service } = anApi();
  const named = post({ ...hello, messageID: "msg_mine" });
  expect((await ask(`${session}/prompt_async`, named)).status).toBe(204);
  await service.pause("demo", "over_budget");
  expect((await ask(`${session}/prompt_async`, named)).status).toBe(204);
  expect((await ask(`${session}/prompt_async`, post({ ...hello, messageID: "msg_other" }))).status).toBe(409);
});

describe("the model of a prompt", () => {
  const choose = (providerID: string, modelID: string) => post({ ...hello, model: { providerID, modelID } });

  it("becomes the lane's model", async () => {
    const { ask, service } = anApi();
    await ask(`${session}/prompt_async`, choose("stub", "large"));
    expect((await service.lane("demo")).lane.model).toBe("large");
    await ask(`${session}/prompt_async`, choose("stub", "default"));
    expect((await service.lane("demo")).lane.model).toBe("large");
  });

  const stub = { kind: "stub", ready: true, isDefault: true, models: [], takesSystem: false };
  const claude = { kind: "claude", ready: true, isDefault: false, models: [], takesSystem: true };

  it("may belong to another runtime until a client's session is first used", async () => {
    const { ask, service } = anApi();
    service.runtimes = async () => [stub, claude];
    const made = (await ask("/opencode/session", post({}))).json() as { id: string; slug: string };
    const prompt = `/opencode/session/${made.id}/prompt_async`;
    expect((await ask(prompt, choose("claude", "opus"))).status).toBe(204);
    expect((await service.lane(made.slug)).lane).toMatchObject({ runtime: "claude", model: "opus" });
    const moved = await ask(prompt, choose("stub", "default"));
    expect([moved.status, moved.body]).toEqual([409, expect.stringMatching(/\\"claude\\".*\\"stub\\"/)]);
    expect((await service.lane(made.slug)).lane.runtime).toBe("claude");
  });

  it("moves no configured lane, and a client's default for new sessions is ignored there", async () => {
    const { ask, service } = anApi();
    service.runtimes = async () => [
      claude,
      { kind: "opencode", ready: true, isDefault: true, models: [], takesSystem: false },
    ];
    expect((await ask(`${session}/prompt_async`, choose("opencode", "default"))).status).toBe(204);
    expect((await ask(`${session}/prompt_async`, choose("opencode", "large"))).status).toBe(409);
    expect((await ask(`${session}/prompt_async`, choose("claude", "default"))).status).toBe(409);
    expect((await service.lane("demo")).lane).toMatchObject({ runtime: "stub", model: null });
    expect(service.sent).toHaveLength(1);
  });

  it("is refused for an unknown runtime, and the lane stays unchanged", async () => {
    const { ask, service } = anApi();
    expect((await ask(`${session}/prompt_async`, choose("nobody", "x"))).json()).toMatchObject({
      data: { code: "runtime_unknown" },
    });
    expect((await service.lane("demo")).lane).toMatchObject({ runtime: "stub", model: null });
    expect(service.sent).toEqual([]);
    const made = await ask("/opencode/session", post({ model: { providerID: "nobody", id: "x" } }));
    expect([made.status, (await service.lanes()).length]).toEqual([400, 1]);
  });
});

describe("a client that waits for the answer", () => {
  const prompt = post({ ...hello, messageID: "msg_1" });

  it("gets the agent's last message of the turn", async () => {
    const { ask, service } = anApi();
    const waiting = ask(`${session}/message`, prompt);
    await sentTo(service);
    await answer(service, "msg_1", "Good morning.");
    expect((await waiting).json()).toMatchObject({
      info: { role: "assistant", parentID: "msg_1", sessionID: "ses_demo" },
      parts: expect.arrayContaining([expect.objectContaining({ type: "text", text: "Good morning." })]),
    });
  });

  it("gets it with a short delay only if it exits on the answer, as `opencode run` does", async () => {
    const clock = new ManualClock();
    const { ask, service } = anApi({ clock });
    const order: string[] = [];
    const wait = async (agent: string) => {
      await ask(`${session}/message`, { ...prompt, headers: { "user-agent": agent } });
      order.push(agent);
    };
    const all = ["opencode/1.18.33", "ai-sdk/opencode/1"].map(wait);
    await sentTo(service);
    await answer(service, "msg_1", "Good morning.");
    await all[1];
    await clock.advance(299);
    expect(order).toEqual(["ai-sdk/opencode/1"]);
    await clock.advance(1);
    await all[0];
    expect(clock.pending).toBe(0);
  });

  it("gets it immediately when the message was answered before", async () => {
    const { ask, service } = anApi();
    await ask(`${session}/prompt_async`, prompt);
    await answer(service, "msg_1", "Good morning.");
    expect((await ask(`${session}/message`, prompt)).json()).toMatchObject({ info: { parentID: "msg_1" } });
    expect((await service.deliveries({ limit: 10 })).items).toHaveLength(1);
  });

  it("gets the reason if there is none", async () => {
    const { ask, service } = anApi();
    const waiting = ask(`${session}/message`, prompt);
    await sentTo(service);
    await fail(service, "msg_1", failedForGood(0, null, "runtime_refused"));
    const { status, body } = await waiting;
    expect([status, body]).toEqual([409, expect.stringMatching(/failed_terminal.*runtime_refused.*waybill why/)]);
  });

  it("gets blanks during a long wait, and then the answer", async () => {
    const clock = new ManualClock();
    const { service, ask } = anApi({ clock });
    let answered: Answered | undefined;
    const waiting = ask(`${session}/message`, prompt).then((got) => {
      answered = got;
    });
    await sentTo(service);
    for (let blank = 0; blank < 3; blank++) await clock.advance(20_000);
    await answer(service, "msg_1", "Good morning.");
    while (!answered) await clock.advance(200);
    await waiting;
    expect(answered?.body).toMatch(/^ {2,4}\{"info"/);
    expect(answered).toMatchObject({ status: 200 });
    expect(answered?.headers.get("content-type")).toMatch(/^application\/json/);
    expect(answered?.json()).toMatchObject({ info: { parentID: "msg_1" } });
    expect(clock.pending).toBe(0);
  });

  it("gets a message with an error in it when the response head was already sent", async () => {
    const clock = new ManualClock();
    const { service, ask } = anApi({ clock });
    const waiting = ask(`${session}/message`, prompt);
    await sentTo(service);
    await clock.advance(20_000);
    const reason = "expired";
    await fail(service, "msg_1", { type: "failed_terminal", at: 0, reason, observed: null, reconcileAt: null });
    await settled();
    await clock.advance(200);
    expect((await waiting).json()).toMatchObject({
      info: { role: "assistant", parentID: "msg_1", error: { data: { message: expect.stringMatching(/expired/) } } },
      parts: [],
    });
  });

  it("gets an aborted message when the prompt is aborted before it was sent", async () => {
    const { service, ask } = anApi();
    const waiting = ask(`${session}/message`, prompt);
    await sentTo(service);
    const reason = "stopped_by_person";
    await fail(service, "msg_1", { type: "cancelled", at: 0, by: "user", reason, readCommitted: true, reconcileAt: 0 });
    const error = { name: "MessageAbortedError", data: { message: "Aborted" } };
    expect((await waiting).json()).toMatchObject({ info: { role: "assistant", parentID: "msg_1", error }, parts: [] });
  });

  it("has its questions rejected if it declared that it cannot answer any, even if it did so later", async () => {
    const { ask, service } = anApi();
    const permission = [{ permission: "question", pattern: "*", action: "deny" }];
    expect((await ask(session, { method: "PATCH", json: { permission } })).status).toBe(200);
    const waiting = ask(`${session}/message`, prompt);
    await sentTo(service);
    service.announce({ id: "q1", kind: "question", title: "Which?", laneId: "demo", since: 0 });
    const asked = { type: "question.requested" as const, data: { ask: "q1", call: null, questions: [] } };
    service.publish(anEvent({ lane: "demo", seq: 1 }, asked));
    while (service.answers.length === 0) await settled();
    expect(service.answers).toEqual([{ id: "q1", decision: { decision: "reject" } }]);
    await answer(service, "msg_1", "Good morning.", asked);
    expect((await waiting).status).toBe(200);
  });

  it("may disconnect, and the message stays", async () => {
    const { service, ask, errors } = anApi();
    const gone = new AbortController();
    const waiting = ask(`${session}/message`, { ...prompt, signal: gone.signal });
    await sentTo(service);
    gone.abort();
    expect((await waiting).status).toBe(408);
    expect([(await service.deliveries({ limit: 10 })).items.length, errors]).toEqual([1, []]);
  });

  it("may drop the connection, and its wait ends", async () => {
    const { service, listening } = await served();
    const permission = [{ permission: "question", pattern: "*", action: "deny" }];
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const send = (method: string, path: string, json: unknown, signal: AbortSignal | null = null) =>
      fetch(listening.url + path, { method, headers, body: JSON.stringify(json), signal });
    expect((await send("PATCH", session, { permission })).status).toBe(200);
    const gone = new AbortController();
    const waiting = send("POST", `${session}/message`, prompt.json, gone.signal);
    // One follower is the hub, the other handles this client's questions.
    while (service.following < 2) await settled();
    gone.abort();
    await expect(waiting).rejects.toThrow();
    while (service.following > 1) await settled();
    expect((await service.deliveries({ limit: 10 })).items).toHaveLength(1);
  });

  it("is told to send the same id again when the daemon shuts down", async () => {
    const closing = new AbortController();
    const { service, ask } = anApi({ closing: closing.signal });
    const waiting = ask(`${session}/message`, prompt);
    await sentTo(service);
    closing.abort();
    expect((await waiting).body).toMatch(/kept and continues.*msg_1/);
  });
});

/** Waits until the message has been sent. */
async function sentTo(service: TestService): Promise<DeliveryRecord> {
  for (;;) {
    const [found] = (await service.deliveries({ limit: 1 })).items;
    if (found) return found.record;
    await settled();
  }
}
