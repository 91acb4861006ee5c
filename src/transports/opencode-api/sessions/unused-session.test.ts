import type { Session } from "@opencode-ai/sdk/v2/types";
import { describe, expect, it } from "vitest";
import { anApi } from "../../../../test/support/daemon/http-api.ts";
import { AppError } from "../../../platform/app-error.ts";

const text = { type: "text", text: "Hello." };
const refused = { parts: [text], agent: "nobody" };

async function aNewSession() {
  const api = anApi();
  const { id, slug } = (await api.ask("/opencode/session", { method: "POST" })).json() as Session;
  const send = (json: unknown, path = "message") =>
    api.ask(`/opencode/session/${id}/${path}`, { method: "POST", json });
  const isThere = async () => (await api.service.lanes()).some(({ lane }) => lane.id === slug);
  return { ...api, id, slug, send, isThere };
}

describe("a first prompt that is refused", () => {
  it.each([
    ["an unknown agent", refused, 400],
    ["no parts", {}, 400],
    ["an unsupported file", { parts: [text, { type: "file", mime: "image/png", url: "data:," }] }, 409],
    ["an unknown provider", { parts: [text], model: { providerID: "nobody", modelID: "x" } }, 400],
  ])("leaves no session behind: %s", async (_, json, status) => {
    for (const path of ["message", "prompt_async"]) {
      const { send, isThere } = await aNewSession();
      const answer = await send(json, path);
      expect([answer.status, await isThere()]).toEqual([status, false]);
      expect(answer.body).toContain("has been removed: start another one");
      expect((await send({ parts: [text] }, path)).status).toBe(404);
    }
  });

  it("keeps a session that has been used", async () => {
    const { send, isThere } = await aNewSession();
    expect((await send({ parts: [text] }, "prompt_async")).status).toBe(204);
    const answer = await send(refused);
    expect([answer.status, await isThere()]).toEqual([400, true]);
    expect(answer.body).not.toContain("has been removed");
  });

  it("keeps a lane that no client created", async () => {
    const { ask, service } = anApi();
    expect((await ask("/opencode/session/ses_demo/message", { method: "POST", json: refused })).status).toBe(400);
    expect(await service.lanes()).toHaveLength(1);
  });

  it("keeps a session if the prompt may succeed later", async () => {
    const { send, service, isThere } = await aNewSession();
    service.failure = new AppError({ code: "draining", message: "Ending.", retryable: true });
    expect((await send({ parts: [text] })).status).toBe(503);
    service.failure = null;
    expect(await isThere()).toBe(true);
  });
});
