/** Concurrent requests on a real service and store: each is decided by what is stored at that moment. */
import type { Session } from "@opencode-ai/sdk/v2/types";
import { describe, expect, it } from "vitest";
import type { Asked } from "../../../../test/support/daemon/http-api.ts";
import { anApiOn } from "../../../../test/support/daemon/http-api.ts";
import { serviceOf } from "../../../../test/support/daemon/service-of.ts";
import type { World, WorldOptions } from "../../../../test/support/daemon/waybill.ts";
import { startWorld } from "../../../../test/support/daemon/waybill.ts";

type Store = World["waybill"]["store"];

const post = (json: unknown): Asked => ({ method: "POST", json });
const prompt = (words: string, more: object = {}) => post({ parts: [{ type: "text", text: words }], ...more });
const modelOf = (providerID: string, modelID = "default") => ({ model: { providerID, modelID } });

/** A scripted agent, and two runtimes that are known but not ready. */
async function anApiOnWorld(options: WorldOptions = {}) {
  const others = ["claude", "pi"].map((runtime) => ({ id: `a-${runtime}`, runtime }));
  const world = await startWorld({ lanes: [{}, ...others], ...options });
  const service = serviceOf(world.waybill);
  const api = anApiOn(service, { clock: world.clock });
  const make = async (json: object = {}) => (await api.ask("/opencode/session", post(json))).json() as Session;
  return { world, make, ...api };
}

/** Runs `happen` once, after a method of the store was called and before it takes effect. */
function first<V extends keyof Store>(store: Store, verb: V, happen: () => Promise<unknown>): void {
  const real = store[verb] as (...args: unknown[]) => Promise<unknown>;
  const patched = async (...args: unknown[]) => {
    store[verb] = real as Store[V];
    await happen();
    return real(...args);
  };
  store[verb] = patched as Store[V];
}

describe("first prompts of a new session", () => {
  it("for two runtimes: one moves the lane, and the other is refused", async () => {
    const { ask, service, make } = await anApiOnWorld();
    const made = await make({ title: "Builds" });
    const send = (runtime: string) =>
      ask(`/opencode/session/${made.id}/prompt_async`, prompt(runtime, modelOf(runtime)));
    const [claude, pi] = await Promise.all([send("claude"), send("pi")]);
    expect([claude.status, pi.status].sort()).toEqual([204, 409]);
    const { items } = await service.messages({ lane: made.slug, limit: 10 });
    expect(items.map(({ text }) => text)).toEqual([(await service.lane(made.slug)).lane.runtime]);
  });

  it("a lane with a message on its way is no longer moved", async () => {
    const { ask, service, make, world } = await anApiOnWorld();
    const made = await make({ title: "Builds", model: { providerID: "pi", id: "default" } });
    first(world.waybill.store, "stageAdmission", () =>
      service.send({ to: { lane: made.slug }, from: "user", text: "First." }),
    );
    const moved = await ask(`/opencode/session/${made.id}/prompt_async`, prompt("Second.", modelOf("claude")));
    expect(moved.status).toBe(409);
    expect((await service.lane(made.slug)).lane.runtime).toBe("pi");
    expect((await service.messages({ lane: made.slug, limit: 10 })).items).toHaveLength(1);
  });
});

describe("a prompt", () => {
  it("that is refused changes nothing about the lane", async () => {
    const { ask, service } = await anApiOnWorld();
    const long = prompt("x".repeat(1_100_000), modelOf("claude", "opus"));
    const refused = await ask("/opencode/session/ses_a-claude/prompt_async", long);
    expect([refused.status, refused.body]).toEqual([400, expect.stringMatching(/must not be longer/)]);
    expect((await service.lane("a-claude")).lane).toMatchObject({ model: null, displayName: null });
  });

  it("is refused by a lane that is paused at that moment", async () => {
    const { ask, service, make, world } = await anApiOnWorld();
    const made = await make();
    first(world.waybill.store, "stageAdmission", () => service.pause(made.slug, "over_budget"));
    const refused = await ask(`/opencode/session/${made.id}/prompt_async`, prompt("Hello.", modelOf("claude")));
    expect([refused.status, refused.body]).toEqual([409, expect.stringMatching(/over_budget/)]);
    expect((await service.lane(made.slug)).lane).toMatchObject({ runtime: "opencode", displayName: null });
  });

  it("keeps the title that the session is given at that moment, and its own model", async () => {
    const { ask, service, make, world } = await anApiOnWorld();
    const made = await make();
    const patch = { method: "PATCH", json: { title: "Builds" } };
    first(world.waybill.store, "stageAdmission", () => ask(`/opencode/session/${made.id}`, patch));
    const sent = await ask(`/opencode/session/${made.id}/prompt_async`, prompt("Hello.", modelOf("claude", "opus")));
    expect(sent.status).toBe(204);
    expect((await service.lane(made.slug)).lane).toMatchObject({
      runtime: "claude",
      model: "opus",
      displayName: "Builds",
    });
  });

  it("sent twice with the same id is one message, and its model is applied once", async () => {
    const { ask, service, make } = await anApiOnWorld();
    const made = await make();
    const same = prompt("Hello.", { messageID: "msg_1", ...modelOf("claude", "opus") });
    const send = () => ask(`/opencode/session/${made.id}/prompt_async`, same);
    const all = await Promise.all([send(), send(), send()]);
    expect(all.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect((await service.messages({ lane: made.slug, limit: 10 })).items).toHaveLength(1);
  });

  it("to a session that is deleted at that moment gets 404, and does not create it again", async () => {
    const { ask, service, make, world } = await anApiOnWorld();
    const made = await make();
    first(world.waybill.store, "stageAdmission", () => service.removeLane(made.slug, true));
    const late = await ask(`/opencode/session/${made.id}/prompt_async`, prompt("Hello.", modelOf("claude")));
    expect([late.status, late.json()]).toMatchObject([404, { name: "NotFoundError" }]);
    expect((await ask(`/opencode/session/${made.id}`)).status).toBe(404);
  });
});

describe("renaming a session", () => {
  const patch = { method: "PATCH", json: { title: "Builds" } };

  it("that is being deleted does not bring it back", async () => {
    const { ask, make, service, world } = await anApiOnWorld();
    const made = await make();
    first(world.waybill.store, "changeLane", () => service.removeLane(made.slug, true));
    expect((await ask(`/opencode/session/${made.id}`, patch)).status).toBe(404);
    expect((await ask(`/opencode/session/${made.id}`)).status).toBe(404);
  });

  it("keeps all other concurrent changes", async () => {
    const { ask, make, service, world } = await anApiOnWorld();
    const made = await make();
    const large = prompt("Hello.", modelOf("opencode", "large"));
    const { store } = world.waybill;
    first(store, "changeLane", () => ask(`/opencode/session/${made.id}/prompt_async`, large));
    expect((await ask(`/opencode/session/${made.id}`, patch)).json()).toMatchObject({
      title: "Builds",
      model: { id: "large" },
    });
    expect((await service.lane(made.slug)).lane).toMatchObject({ displayName: "Builds", model: "large" });
  });
});
