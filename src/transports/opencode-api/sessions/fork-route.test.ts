import type { Session } from "@opencode-ai/sdk/v2/types";
import { describe, expect, it } from "vitest";
import { LaneHistory } from "../../../../test/support/core/lane-history.ts";
import { anApi, anApiOn } from "../../../../test/support/daemon/http-api.ts";
import { serviceOf } from "../../../../test/support/daemon/service-of.ts";
import type { TestService } from "../../../../test/support/daemon/test-service.ts";
import { testService } from "../../../../test/support/daemon/test-service.ts";
import { startWorld } from "../../../../test/support/daemon/waybill.ts";
import { AppError } from "../../../platform/app-error.ts";
import type { SessionMessage } from "../projection/session-view.ts";

const at = (path: string) => `/opencode/session/${path}`;
const post = (json: unknown = {}) => ({ method: "POST", json });

/** Two answered messages; the second was typed into the program. */
function aTalk(): TestService {
  const service = testService();
  const history = new LaneHistory("demo");
  history.admit("msg_one");
  history.send("msg_one");
  history.begin("msg_one");
  history.says("answer-1", "One.");
  history.end("msg_one");
  history.begin("typed");
  history.says("answer-2", "Two.");
  history.end("typed");
  service.publish(...history.events);
  return service;
}

describe("a fork", () => {
  it("is a new session with the same settings, named as OpenCode names it", async () => {
    const { ask, service } = anApi();
    await service.putLane({ ...(await service.lane("demo")).lane, model: "large", displayName: "Builds" });
    const first = (await ask(at("ses_demo/fork"), post())).json() as Session;
    expect(first).toMatchObject({ title: "Builds (fork #1)", model: { id: "large" }, directory: "/tmp" });
    expect(first.id).toMatch(/^ses_oc-[0-9a-f]{10}$/);
    const second = (await ask(at(`${first.id}/fork`), { method: "POST" })).json() as Session;
    expect(second.title).toBe("Builds (fork #2)");
    expect(service.forks).toEqual([
      { id: "demo", before: null },
      { id: first.slug, before: null },
    ]);
  });

  it("before a user message is made at the event that first published that message", async () => {
    const service = aTalk();
    const { ask } = anApi({ service });
    const rows = (await ask(at("ses_demo/message"))).json() as SessionMessage[];
    const users = rows.filter(({ info }) => info.role === "user");
    expect(users.map(({ info }) => info.id)).toEqual(["msg_one", expect.stringMatching(/^msg_/)]);
    for (const { info } of users)
      expect((await ask(at("ses_demo/fork"), post({ messageID: info.id }))).status).toBe(200);
    const events = await service.eventsBefore("demo", null, 100);
    const published = service.forks.map(({ before }) => events.find(({ seq }) => seq === before));
    expect(published).toMatchObject([
      { data: { item: { id: "delivery:msg_one" } } },
      { data: { item: { id: "prompt-typed" } } },
    ]);
  });

  it("is refused before an answer, before an unknown message, and for a child or unknown session", async () => {
    const service = aTalk();
    const { ask } = anApi({ service });
    const rows = (await ask(at("ses_demo/message"))).json() as SessionMessage[];
    const answer = rows.find(({ info }) => info.role === "assistant")?.info.id;
    const status = async (session: string, json: unknown) => (await ask(at(`${session}/fork`), post(json))).status;
    expect(await status("ses_demo", { messageID: answer })).toBe(501);
    expect(await status("ses_demo", { messageID: "msg_nobody" })).toBe(404);
    expect(await status("ses_demo", { messageID: 1 })).toBe(400);
    expect(await status("ses_demo.below", {})).toBe(501);
    expect(await status("ses_nobody", {})).toBe(404);
    expect(service.forks).toEqual([]);
  });

  it.each([
    ["lane_in_use", 409],
    ["not_served", 501],
    ["runtime_unavailable", 503],
  ])("that fails reports why: %s", async (code, status) => {
    const service = testService();
    const fork = () => Promise.reject(new AppError({ code, message: "It works." }));
    const answer = await anApi({ service: Object.assign(service, { fork }) }).ask(at("ses_demo/fork"), post());
    expect([answer.status, answer.json()]).toMatchObject([status, { data: { message: "It works.", code } }]);
  });

  it("has the messages of the other session, with its own session id, and is idle", async () => {
    const world = await startWorld({
      script: { always: [{ steps: [{ tool: "bash", output: "3" }, { say: "Done: 3." }] }] },
    });
    for (const id of ["msg_1", "msg_2"]) {
      await world.send({ id });
      await world.reaches(id, "responded");
      await world.clock.until(async () => (await world.waybill.store.outstanding("lane")) === null);
      await world.clock.advance(1000);
    }
    const { ask } = anApiOn(serviceOf(world.waybill));
    const messages = async (session: string) => (await ask(at(`${session}/message`))).json() as SessionMessage[];
    const old = await messages("ses_lane");
    const whole = (await ask(at("ses_lane/fork"), post())).json() as Session;
    expect(shown(await messages(whole.id))).toEqual(shown(old));
    expect(new Set((await messages(whole.id)).map(({ info }) => info.sessionID))).toEqual(new Set([whole.id]));
    const half = (await ask(at("ses_lane/fork"), post({ messageID: "msg_2" }))).json() as Session;
    expect(shown(await messages(half.id))).toEqual(
      shown(
        old.slice(
          0,
          old.findIndex(({ info }) => info.id === "msg_2"),
        ),
      ),
    );
    expect((await ask(at("status"))).json()).toEqual({});
    expect(shown(await messages("ses_lane"))).toEqual(shown(old));
  });
});

/** The content of messages, without their ids. */
function shown(rows: readonly SessionMessage[]): unknown[] {
  return rows.map(({ info, parts }) => [
    info.role,
    info.time,
    parts.map(({ id: _, sessionID: __, messageID: ___, ...part }) => part),
  ]);
}
