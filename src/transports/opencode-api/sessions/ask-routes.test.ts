import { describe, expect, it } from "vitest";
import { anItem, LaneHistory } from "../../../../test/support/core/lane-history.ts";
import type { Api } from "../../../../test/support/daemon/http-api.ts";
import { anApi } from "../../../../test/support/daemon/http-api.ts";
import type { OpenAsk } from "../../../service/service.ts";

function anAsk(ask: Pick<OpenAsk, "id" | "kind">) {
  return { title: "bash: rm -r build", laneId: "demo", since: 0, ...ask };
}

/** An agent of another program, with ids in another format, mid-turn. */
function anAskingApi(): Api {
  const api = anApi();
  const history = new LaneHistory("demo");
  history.admit("msg_1");
  history.send("msg_1");
  history.begin("msg_1");
  history.tell({ type: "item.started", data: { item: { ...anItem("said", "message"), role: "assistant" } } });
  const call = { ...anItem("call:c1", "tool_call"), name: "bash", parent: "said" };
  history.tell({ type: "item.started", data: { item: call } });
  const detail = { command: "rm -r build" };
  history.tell({ type: "permission.requested", data: { ask: "a-1", title: "bash: rm -r build", call: "c1", detail } });
  const questions = [
    { header: "Colour", question: "Which?", options: [{ label: "Red", description: null }], multiple: false },
  ];
  history.tell({ type: "question.requested", data: { ask: "a-2", call: null, questions } });
  api.service.publish(...history.events);
  api.service.announce(anAsk({ id: "a-1", kind: "permission" }), anAsk({ id: "a-2", kind: "question" }));
  return api;
}

describe("an open ask", () => {
  it("is listed with all of its details", async () => {
    const { ask } = anAskingApi();
    expect((await ask("/opencode/permission")).json()).toEqual([
      {
        id: "per_a-1",
        sessionID: "ses_demo",
        permission: "bash",
        patterns: ["rm -r build"],
        metadata: { command: "rm -r build" },
        always: ["rm -r build"],
        tool: { messageID: expect.stringMatching(/^msg_/), callID: "c1" },
      },
    ]);
    expect((await ask("/opencode/question")).json()).toMatchObject([
      { id: "que_a-2", sessionID: "ses_demo", questions: [{ question: "Which?", header: "Colour" }] },
    ]);
  });

  it("is listed by its title when its details are not kept", async () => {
    const { ask, service } = anApi();
    service.announce(anAsk({ id: "per_1", kind: "permission" }), anAsk({ id: "que_1", kind: "question" }));
    expect((await ask("/opencode/permission")).json()).toMatchObject([
      { id: "per_1", permission: "bash: rm -r build" },
    ]);
    expect((await ask("/opencode/question")).json()).toMatchObject([
      { id: "que_1", questions: [{ question: "bash: rm -r build", options: [] }] },
    ]);
  });

  it("is listed for the directory where its agent works", async () => {
    const { ask } = anAskingApi();
    expect((await ask("/opencode/permission?directory=/tmp")).json()).toHaveLength(1);
    expect((await ask("/opencode/permission?directory=/tmp/below")).json()).toEqual([]);
  });
});

describe("answers", () => {
  it.each([
    ["/permission/per_a-1/reply", { reply: "always" }, { decision: "always" }, "a-1"],
    ["/permission/per_a-1/reply", { reply: "reject", message: "No." }, { decision: "reject", message: "No." }, "a-1"],
    ["/session/ses_demo/permissions/per_a-1", { response: "once" }, { decision: "once" }, "a-1"],
    ["/question/que_a-2/reply", { answers: [["Red"]] }, { decision: "once", answers: [["Red"]] }, "a-2"],
    ["/question/que_a-2/reject", undefined, { decision: "reject" }, "a-2"],
  ])("reach the agent: %s %j", async (path, json, decision, id) => {
    const { ask, service } = anAskingApi();
    const answer = await ask(`/opencode${path}`, { method: "POST", ...(json === undefined ? {} : { json }) });
    expect([answer.status, answer.json(), service.answers]).toEqual([200, true, [{ id, decision }]]);
  });

  it.each([
    ["/permission/per_a-2/reply", { reply: "once" }, "Permission", "per_a-2"],
    ["/permission/per_gone/reply", { reply: "once" }, "Permission", "per_gone"],
    ["/question/que_a-1/reply", { answers: [] }, "Question", "que_a-1"],
    ["/question/que_gone/reject", {}, "Question", "que_gone"],
  ])("to an unknown or closed ask get 404: %s", async (path, json, word, requestID) => {
    const answer = await anAskingApi().ask(`/opencode${path}`, { method: "POST", json });
    const message = `${word} request not found: ${requestID}`;
    expect([answer.status, answer.json()]).toEqual([404, { _tag: `${word}NotFoundError`, requestID, message }]);
  });

  it.each([
    ["/permission/per_a-1/reply", { reply: "allow" }],
    ["/permission/per_a-1/reply", {}],
    ["/session/ses_demo/permissions/per_a-1", { response: true }],
    ["/question/que_a-2/reply", { answers: ["Red"] }],
    ["/permission/a-1/reply", { reply: "once" }],
    ["/permission/que_a-2/reply", { reply: "once" }],
    ["/question/per_a-1/reject", {}],
  ])("that are invalid are refused: %s %j", async (path, json) => {
    const { ask, service } = anAskingApi();
    expect((await ask(`/opencode${path}`, { method: "POST", json })).status).toBe(400);
    expect(service.answers).toEqual([]);
  });

  it("sent to a session reach only that session's agent", async () => {
    const { ask, service } = anAskingApi();
    await service.putLane({ ...(await service.lane("demo")).lane, id: "two" });
    const reply = (session: string) =>
      ask(`/opencode/session/${session}/permissions/per_a-1`, { method: "POST", json: { response: "once" } });
    const nobody = await reply("ses_nobody");
    expect([nobody.status, nobody.body]).toEqual([404, expect.stringMatching(/Session not found/)]);
    const other = await reply("ses_two");
    expect([other.status, other.body]).toEqual([404, expect.stringMatching(/Permission request not found/)]);
    expect(service.answers).toEqual([]);
    expect((await reply("ses_demo.sub")).status).toBe(200);
  });
});
