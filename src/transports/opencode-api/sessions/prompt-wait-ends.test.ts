/** However a wait for an answer ends, the client gets a response and nothing is left behind. */
import { getEventListeners } from "node:events";
import type { Session } from "@opencode-ai/sdk/v2/types";
import { expect, it } from "vitest";
import { settled } from "../../../../test/support/core/manual-clock.ts";
import type { Asked } from "../../../../test/support/daemon/http-api.ts";
import { anApiOn } from "../../../../test/support/daemon/http-api.ts";
import { serviceOf } from "../../../../test/support/daemon/service-of.ts";
import type { WorldOptions } from "../../../../test/support/daemon/waybill.ts";
import { startWorld } from "../../../../test/support/daemon/waybill.ts";

const post = (json: unknown): Asked => ({ method: "POST", json });
const prompt = (messageID: string) => post({ messageID, parts: [{ type: "text", text: "Hello." }] });
const hangs = { always: [{ steps: [{ say: "Well." }, { hang: true as const }] }] };

async function anApiOnWorld(options: WorldOptions = {}) {
  const world = await startWorld({ script: hangs, lanes: [{}, { id: "away", runtime: "claude" }], ...options });
  const closing = new AbortController();
  const api = anApiOn(serviceOf(world.waybill), { clock: world.clock, closing: closing.signal });
  const json = { model: { providerID: "stub", id: "default" }, permission: [deny("question")] };
  const { id, slug } = (await api.ask("/opencode/session", post(json))).json() as Session;
  const path = `/opencode/session/${id}`;
  const sent = async (messageId: string, lane = slug) => {
    while (!(await world.waybill.store.deliveryOf(lane, messageId))) await settled();
  };
  const isAsked = async () => {
    await world.clock.until(() => world.prompts().length > 0);
    await settled();
  };
  return {
    ...api,
    world,
    slug,
    path,
    sent,
    isAsked,
    listeners: () => getEventListeners(closing.signal, "abort").length,
  };
}

const deny = (permission: string) => ({ permission, pattern: "*", action: "deny" });

it("when a session is deleted mid-turn, a waiting client gets 404", async () => {
  const { ask, path, sent, isAsked } = await anApiOnWorld();
  const waiting = ask(`${path}/message`, prompt("msg_1"));
  await sent("msg_1");
  await isAsked();
  expect((await ask(path, { method: "DELETE" })).status).toBe(200);
  const { status, body } = await waiting;
  expect([status, body]).toEqual([404, expect.stringMatching(/Session not found/)]);
});

it("when a session is deleted before its messages were sent, all waiting clients get 404", async () => {
  const { ask, sent } = await anApiOnWorld();
  const path = "/opencode/session/ses_away";
  const all = ["msg_1", "msg_2"].map((id) => ask(`${path}/message`, prompt(id)));
  await sent("msg_1", "away");
  await sent("msg_2", "away");
  expect((await ask(path, { method: "DELETE" })).status).toBe(200);
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual([404, 404]);
});

it("when a session is deleted after the response head was sent, the response is a message with an error", async () => {
  const { ask, path, sent, isAsked, world } = await anApiOnWorld();
  const waiting = ask(`${path}/message`, prompt("msg_1"));
  await sent("msg_1");
  await isAsked();
  await world.clock.advance(20_000);
  expect((await ask(path, { method: "DELETE" })).status).toBe(200);
  await world.clock.advance(20_000);
  expect((await waiting).json()).toMatchObject({ info: { role: "assistant", parentID: "msg_1", error: {} } });
});

it("a client that disconnects leaves only its message behind", async () => {
  const { ask, path, sent, slug, world, listeners } = await anApiOnWorld();
  const before = listeners();
  const gone = new AbortController();
  const waiting = ask(`${path}/message`, { ...prompt("msg_1"), signal: gone.signal });
  await sent("msg_1");
  await settled();
  expect(listeners()).toBe(before + 1);
  const timers = world.clock.pending;
  gone.abort();
  expect((await waiting).status).toBe(408);
  await settled();
  expect([listeners(), world.clock.pending]).toEqual([before, timers - 1]);
  expect((await world.delivery("msg_1", slug)).status).not.toBe("cancelled");
});

it("a refused prompt leaves no listeners behind", async () => {
  const { ask, path, listeners } = await anApiOnWorld();
  const before = listeners();
  const refused = { ...prompt("msg_1"), json: { parts: [{ type: "text", text: "x".repeat(300_000) }] } };
  expect((await ask(`${path}/message`, refused)).status).toBe(400);
  expect(listeners()).toBe(before);
});
