import type { Session } from "@opencode-ai/sdk/v2/types";
import { describe, expect, it } from "vitest";
import { anApi } from "../../../../test/support/daemon/http-api.ts";
import { testService } from "../../../../test/support/daemon/test-service.ts";

const session = (lane: string) => `/opencode/session/ses_${lane}`;
const prompt = (agent: string, more: object = {}) => ({
  method: "POST",
  json: { parts: [{ type: "text", text: "Hello." }], agent, ...more },
});

async function anApiWith(change: { runtime: string; agent?: string; model?: string }) {
  const service = testService(["one"]);
  await service.putLane({ ...(await service.lane("one")).lane, ...change });
  const api = anApi({ service });
  const send = async (agent: string, more?: object) => {
    const answer = await api.ask(`${session("one")}/prompt_async`, prompt(agent, more));
    const { lane } = await service.lane("one");
    return [answer.status, lane.agent, answer.headers.get("x-waybill-notice")];
  };
  return { ...api, send };
}

describe("OpenCode's own agents, named in a prompt", () => {
  it("apply from this message on to a lane whose program has them, and its model stays", async () => {
    const { send, service } = await anApiWith({ runtime: "opencode", model: "scripted/scripted" });
    expect(await send("build")).toEqual([204, null, null]);
    expect(await send("plan")).toEqual([204, "plan", null]);
    expect(await send("default")).toEqual([204, "plan", null]);
    expect(await send("build")).toEqual([204, null, null]);
    expect((await service.lane("one")).lane.model).toBe("scripted/scripted");
  });

  it.each(["claude", "pi", "stub"])(
    "are ignored in a lane of %s: plan with a notice, build silently",
    async (runtime) => {
      const { send } = await anApiWith({ runtime });
      expect(await send("build")).toEqual([204, null, null]);
      expect(await send("plan")).toEqual([204, null, expect.stringMatching(/no agent "plan".*may change files/)]);
    },
  );

  it.each(["build", "plan"])("do not replace a custom agent: %s", async (name) => {
    const { send } = await anApiWith({ runtime: "opencode", agent: "reviewer" });
    expect(await send(name)).toEqual([204, "reviewer", `This session uses a custom agent, so "${name}" was ignored.`]);
  });

  it("also give a notice when the client waits for the answer, and other agents are still refused", async () => {
    const { ask, send } = await anApiWith({ runtime: "stub" });
    expect((await ask(`${session("one")}/message`, prompt("explore"))).json()).toMatchObject({
      data: { code: "invalid_request", message: expect.stringContaining("cannot switch") },
    });
    expect((await send("general"))[0]).toBe(400);
  });

  it("also apply to a new session", async () => {
    const { ask, service } = anApi();
    const others = { ready: true, isDefault: false, models: [], takesSystem: true };
    service.runtimes = async () => [
      { kind: "stub", ...others, isDefault: true },
      { kind: "opencode", ...others },
    ];
    const made = async (agent: string, providerID: string) => {
      const json = { agent, model: { providerID, id: "default" } };
      const answer = await ask("/opencode/session", { method: "POST", json });
      const { lane } = await service.lane((answer.json() as Session).slug);
      return [lane.agent, answer.headers.get("x-waybill-notice")];
    };
    expect(await made("build", "opencode")).toEqual([null, null]);
    expect(await made("plan", "opencode")).toEqual(["plan", null]);
    expect(await made("build", "stub")).toEqual([null, null]);
    expect((await ask("/opencode/session", { method: "POST", json: { agent: "plan" } })).status).toBe(200);
    expect(await made("plan", "stub")).toEqual([null, expect.stringContaining('no agent "plan"')]);
  });
});
