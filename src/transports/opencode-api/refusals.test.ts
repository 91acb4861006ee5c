import { Hono } from "hono";
import { expect, test } from "vitest";
import { settled } from "../../../test/support/core/manual-clock.ts";
import { anApiOn, port, token } from "../../../test/support/daemon/http-api.ts";
import { serviceOf } from "../../../test/support/daemon/service-of.ts";
import { startWorld } from "../../../test/support/daemon/waybill.ts";
import { aClient, aHub } from "../../../test/support/opencode/hub-client.ts";
import { nativeRouteList } from "../../../test/support/opencode/native-routes.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Env } from "../http/env.ts";
import { showRefusal, silentRoutes, toast } from "./refusals.ts";

/** An app with one route, and the toasts that people see for it. */
function aRoute(route: string, answer: () => Response) {
  const shown: string[] = [];
  const app = new Hono<Env>();
  const publishTransient = async (published: { properties: Record<string, unknown> }) => {
    shown.push(String(published.properties.message));
  };
  app.post("/here", showRefusal(route, { publishTransient }), answer);
  app.onError((_, c) => c.text("refused", 409));
  const ask = (agent: string) => app.request("/here", { method: "POST", headers: { "user-agent": agent } });
  return { ask, shown };
}

const refuse = () => {
  throw new AppError({ code: "lane_in_use", message: "It is in use.", hint: "Wait." });
};

test("a refusal that the terminal ignores is shown to people in plain words", async () => {
  const fork = aRoute("POST /session/{sessionID}/fork", refuse);
  expect((await fork.ask("opencode/1.18.33")).status).toBe(409);
  const undo = aRoute("POST /session/{sessionID}/revert", refuse);
  await undo.ask("opencode/1.18.33");
  expect([fork.shown, undo.shown]).toEqual([
    ["It is in use. Wait."],
    [expect.stringMatching(/^The ledger and the history/)],
  ]);
});

test("nothing is shown for a success, or to clients that read their responses", async () => {
  const done = aRoute("POST /session/{sessionID}/fork", () => new Response("done"));
  await done.ask("opencode/1.18.33");
  const read = aRoute("POST /session/{sessionID}/fork", refuse);
  await read.ask("node");
  expect([done.shown, read.shown]).toEqual([[], []]);
});

test("a transient event reaches clients that follow all directories, and none that resume later", async () => {
  const world = await startWorld({ script: { always: [{ steps: [{ say: "Well." }] }] } });
  const hub = aHub(world);
  const [here, elsewhere] = [await aClient(hub), await aClient(hub, { directory: "/work" })];
  await hub.publishTransient(toast("Because."));
  await world.send({ id: "m1" });
  await world.reaches("m1", "responded");
  const back = await aClient(hub, { after: here.from });
  const toasts = [here, elsewhere, back].map(({ seen }) => seen.filter(({ type }) => type === "tui.toast.show"));
  expect(toasts.map((lines) => lines.length)).toEqual([1, 0, 0]);
  expect(toasts[0]?.[0]?.wrapped).toMatch(/^data: \{"directory":"global","payload":\{"id":"evt_[^"]+","type":"tui\./);
  expect(back.seen.length).toBeGreaterThan(1);
  expect(here.seen.length).toBeGreaterThan(back.seen.length);
});

test.each([
  ["POST /session/ses_lane/summarize", 1],
  ["PUT /auth/opencode", 1],
  // The terminal sends this right after the other one, and a second toast would replace the first.
  ["POST /instance/dispose", 0],
])("the terminal's %s is refused, with %i toasts", async (route, times) => {
  const closing = new AbortController();
  const { app, ask } = anApiOn(serviceOf((await startWorld()).waybill), { closing: closing.signal });
  const env = { port, closing: closing.signal, afterAnswer: () => {}, cutOff: () => {} };
  const headers = { authorization: `Bearer ${token}`, host: `127.0.0.1:${port}` };
  const stream = await app.request("/opencode/global/event", { headers }, env);
  let published = "";
  const reading = stream.body?.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({
      write: (text) => {
        published += text;
      },
    }),
  );
  const [method = "", path = ""] = route.split(" ");
  const answer = await ask(`/opencode${path}`, { method, headers: { "user-agent": "opencode/1" }, json: {} });
  await settled();
  closing.abort();
  await reading?.catch(() => {});
  expect(answer.status).toBe(501);
  expect(published.match(/"tui\.toast\.show"/g) ?? []).toHaveLength(times);
});

test("every watched route is one of OpenCode's", () => {
  expect(nativeRouteList()).toEqual(expect.arrayContaining([...silentRoutes]));
});
