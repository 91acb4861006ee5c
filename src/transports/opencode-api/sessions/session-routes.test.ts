import type { GlobalSession, Session, SessionsResponse } from "@opencode-ai/sdk/v2/types";
import { describe, expect, it } from "vitest";
import { anEvent } from "../../../../test/support/core/events.ts";
import { LaneHistory } from "../../../../test/support/core/lane-history.ts";
import { aRecord } from "../../../../test/support/core/records.ts";
import { anApi } from "../../../../test/support/daemon/http-api.ts";
import { testService } from "../../../../test/support/daemon/test-service.ts";

const at = (path: string) => `/opencode${path}`;

describe("sessions", () => {
  it("are the lanes, most recently active first", async () => {
    const { ask, service } = anApi({ service: testService(["one", "two", "three"]) });
    service.publish(anEvent({ lane: "one", seq: 1, time: 2000 }));
    service.publish(anEvent({ lane: "three", seq: 1, time: 3000 }));
    const sessions = (await ask(at("/session"))).json() as Session[];
    expect(sessions.map(({ id, time }) => [id, time.updated])).toEqual([
      ["ses_three", 3000],
      ["ses_one", 2000],
      ["ses_two", 0],
    ]);
    expect(sessions[0]).toEqual({
      id: "ses_three",
      slug: "three",
      projectID: "global",
      directory: "/tmp",
      title: "three",
      agent: "default",
      model: { providerID: "stub", id: "default" },
      version: "0.0.0",
      time: { created: 0, updated: 3000 },
    });
  });

  it("can be filtered by directory, words, age and count", async () => {
    const { ask, service } = anApi({ service: testService(["one", "two", "three"]) });
    await service.putLane({
      ...(await service.lane("two")).lane,
      directory: "/tmp/below",
      displayName: "Green builds",
    });
    service.publish(anEvent({ lane: "three", seq: 1, time: 3000 }));
    const ids = async (query: string) =>
      ((await ask(at(`/session?${query}`))).json() as Session[]).map(({ slug }) => slug).sort();
    expect(await ids("directory=/tmp")).toEqual(["one", "three"]);
    expect(await ids("directory=/tmp&path=tmp")).toEqual(["one", "three", "two"]);
    expect(await ids("directory=/tmp/below&path=tmp/below")).toEqual(["two"]);
    expect(await ids("directory=/tmp/below&scope=project")).toEqual(["one", "three", "two"]);
    expect(await ids("search=green&roots=true")).toEqual(["two"]);
    expect(await ids("start=2000")).toEqual(["three"]);
    expect(await ids("limit=1")).toEqual(["three"]);
    expect((await ask(at("/session?limit=many"))).status).toBe(400);
  });

  it("of all directories are paged, with their projects, and none is skipped", async () => {
    const { ask, service } = anApi({ service: testService(["one", "two", "three", "four"]) });
    await service.putLane({ ...(await service.lane("two")).lane, directory: "/tmp/below", displayName: "Green" });
    service.publish(anEvent({ lane: "three", seq: 1, time: 3000 }));
    service.publish(anEvent({ lane: "one", seq: 1, time: 2000 }));
    const page = async (query: string) => {
      const answer = await ask(at(`/experimental/session?${query}`));
      const slugs = (answer.json() as GlobalSession[]).map(({ slug }) => slug);
      return [slugs.join(), answer.headers.get("x-next-cursor")];
    };
    const [first] = (await ask(at("/experimental/session"))).json() as GlobalSession[];
    expect(first).toMatchObject({ id: "ses_three", directory: "/tmp", project: { id: "global", worktree: "/" } });
    expect(await page("")).toEqual(["three,one,two,four", null]);
    expect(await page("limit=1")).toEqual(["three", "3000"]);
    expect(await page("limit=1&cursor=3000")).toEqual(["one", "2000"]);
    // They have the same time, so a cursor could not tell them apart.
    expect(await page("limit=1&cursor=2000")).toEqual(["two,four", null]);
    expect(await page("search=GREEN&roots=true&archived=true&workspace=wrk_1")).toEqual(["two", null]);
    expect(await page("directory=/tmp/below")).toEqual(["two", null]);
    expect(await page("start=2500")).toEqual(["three", null]);
    for (const query of ["limit=0", "limit=many", "cursor=then", "roots=maybe"]) {
      expect((await ask(at(`/experimental/session?${query}`))).status).toBe(400);
    }
  });

  it("are also listed in the newer API's format, for the front page of the web app", async () => {
    const { ask, service } = anApi({ service: testService(["one", "two", "three"]) });
    await service.putLane({ ...(await service.lane("two")).lane, directory: "/tmp/below", displayName: "Green" });
    service.publish(anEvent({ lane: "three", seq: 1, time: 3000 }));
    service.publish(anEvent({ lane: "one", seq: 1, time: 2000 }));
    const list = async (query: string) => (await ask(at(`/api/session?${query}`))).json() as SessionsResponse;
    const ids = async (query: string) => (await list(query)).data.map(({ id }) => id).join();
    expect(await list("limit=1&order=desc")).toEqual({
      data: [
        {
          id: "ses_three",
          projectID: "global",
          agent: "default",
          model: { providerID: "stub", id: "default" },
          cost: 0,
          tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
          time: { created: 0, updated: 3000 },
          title: "three",
          location: { directory: "/tmp" },
        },
      ],
      cursor: { next: "3000" },
    });
    expect(await list("limit=2&cursor=3000")).toMatchObject({
      data: [{ id: "ses_one" }, { id: "ses_two" }],
      cursor: {},
    });
    expect(await ids("directory=/tmp")).toBe("ses_three,ses_one");
    expect(await ids("search=green&project=global")).toBe("ses_two");
    expect(await ids("project=another")).toBe("");
    for (const query of ["limit=0", "cursor=then", "order=asc"]) {
      expect((await ask(at(`/api/session?${query}`))).status).toBe(400);
    }
  });

  it("are created as lanes in the client's directory, by header or query, with its choices", async () => {
    const { ask, service } = anApi();
    const headers = { "x-opencode-directory": encodeURIComponent("/tmp/with blank") };
    const json = { title: "Builds", agent: "default", model: { providerID: "stub", id: "large" } };
    const made = (await ask(at("/session"), { method: "POST", headers, json })).json() as Session;
    expect(made).toMatchObject({ title: "Builds", directory: "/tmp/with blank", model: { id: "large" } });
    expect(made.id).toMatch(/^ses_oc-[0-9a-f]{10}$/);
    expect((await service.lane(made.slug)).lane).toMatchObject({ agent: null, model: "large", runtime: "stub" });
    const plain = (await ask(at("/session?directory=/tmp"), { method: "POST" })).json() as Session;
    expect(plain).toMatchObject({ directory: "/tmp", title: plain.slug });
  });

  it.each([
    ["parentID", { parentID: "ses_demo" }],
    ["variant", { model: { providerID: "stub", id: "default", variant: "high" } }],
    ["deny bash", { permission: [{ permission: "bash", pattern: "*", action: "deny" }] }],
    ["ask edit", { permission: [{ permission: "edit", pattern: "*", action: "ask" }] }],
  ])("are not created with a rule that nobody would enforce: %s", async (_, json) => {
    const { ask, service } = anApi();
    const answer = await ask(at("/session"), { method: "POST", json });
    expect([answer.status, answer.json()]).toMatchObject([501, { data: { code: "not_served" } }]);
    expect(await service.lanes()).toHaveLength(1);
  });

  it("are created for `opencode run`, which denies everything that it could not answer", async () => {
    const deny = (permission: string) => ({ permission, action: "deny", pattern: "*" });
    const json = { permission: ["question", "plan_enter", "plan_exit"].map(deny) };
    expect((await anApi().ask(at("/session"), { method: "POST", json })).status).toBe(200);
  });

  it("have a title that can be changed and removed, and nothing else can", async () => {
    const { ask, service } = anApi();
    const change = (json: unknown) => ask(at("/session/ses_demo"), { method: "PATCH", json });
    expect((await change({ title: "Green builds" })).json()).toMatchObject({ title: "Green builds", slug: "demo" });
    expect((await service.lane("demo")).lane.displayName).toBe("Green builds");
    expect((await change({ title: " " })).json()).toMatchObject({ title: "demo" });
    expect((await change({ time: { archived: 1 } })).status).toBe(501);
    expect((await change({ metadata: {} })).status).toBe(501);
    expect((await change({ title: 1 })).status).toBe(400);
    await change({ title: "Green builds" });
    const nothing = { title: null, time: { archived: null }, metadata: null, permission: null };
    expect((await change(nothing)).json()).toMatchObject({ title: "Green builds" });
  });

  it("are deleted with their lanes", async () => {
    const { ask, service } = anApi();
    expect((await ask(at("/session/ses_demo"), { method: "DELETE" })).json()).toBe(true);
    expect(await service.lanes()).toHaveLength(0);
  });

  it.each([
    ["GET", ""],
    ["PATCH", ""],
    ["DELETE", ""],
    ["GET", "/children"],
    ["GET", "/todo"],
    ["GET", "/diff"],
    ["GET", "/message"],
    ["GET", "/message/msg_1"],
    ["POST", "/abort"],
  ])("that do not exist get 404: %s %s", async (method, path) => {
    for (const id of ["ses_nobody", "demo", "ses_", "ses_demo.."]) {
      const answer = await anApi().ask(at(`/session/${id}${path}`), {
        method,
        ...(method === "PATCH" ? { json: {} } : {}),
      });
      expect([answer.status, answer.json()]).toEqual([
        404,
        { name: "NotFoundError", data: { message: `Session not found: ${id}`, code: "session_unknown" } },
      ]);
    }
  });
});

describe("child sessions", () => {
  it("are found in the lane's events, and are read-only", async () => {
    const { ask, service } = anApi();
    service.publish(anEvent({ lane: "demo", seq: 1, time: 1000, nativeSession: "sub" }));
    service.publish(anEvent({ lane: "demo", seq: 2, time: 2000, nativeSession: "sub" }));
    const [child] = (await ask(at("/session/ses_demo/children"))).json() as Session[];
    expect(child).toMatchObject({ parentID: "ses_demo", time: { created: 1000, updated: 2000 }, directory: "/tmp" });
    const path = at(`/session/${child?.id}`);
    expect((await ask(path)).json()).toEqual(child);
    expect((await ask(`${path}/message`)).json()).toEqual([]);
    expect((await ask(`${path}/children`)).json()).toEqual([]);
    const json = { parts: [{ type: "text", text: "Hello." }] };
    expect((await ask(`${path}/message`, { method: "POST", json })).status).toBe(501);
    expect((await ask(`${path}/abort`, { method: "POST" })).status).toBe(501);
    expect((await ask(at("/session/ses_demo.nobody"))).status).toBe(404);
  });
});

describe("a session is busy", () => {
  it("while it has a turn or a waiting message, as in the stream, even in a paused lane", async () => {
    const service = testService(["works", "waits", "pauses", "rests", "tries", "unheard"]);
    const holds = ["works", "tries"];
    const listed = service.lanes;
    const lanes = async () =>
      (await listed()).map((state) => ({
        ...state,
        holder: holds.includes(state.lane.id) ? aRecord() : null,
        waiting: ["waits", "pauses", "unheard"].includes(state.lane.id) ? 1 : 0,
      }));
    await service.pause("pauses", "paused_by_person");
    const tell = (lane: string, say: (history: LaneHistory) => void) => {
      const history = new LaneHistory(lane);
      history.admit("m1");
      say(history);
      service.publish(...history.events);
    };
    const works = (history: LaneHistory) => {
      history.send("m1");
      history.begin("m1");
    };
    tell("works", works);
    tell("waits", () => {});
    tell("pauses", () => {});
    for (const lane of ["rests", "tries"]) {
      tell(lane, (history) => {
        works(history);
        history.end("m1", { early: lane === "rests" });
      });
    }
    const { ask } = anApi({ service: Object.assign(service, { lanes }) });
    expect((await ask(at("/session/status"))).json()).toEqual({
      ses_works: { type: "busy" },
      ses_waits: { type: "busy" },
      ses_pauses: { type: "busy" },
      // Admitted, and its event has not been published yet.
      ses_unheard: { type: "busy" },
    });
    expect((await ask(at("/session/status?directory=/tmp/below"))).json()).toEqual({});
  });
});
