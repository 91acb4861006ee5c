import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { StoredMessage } from "../../src/runtimes/opencode/client/api.ts";
import { nativeRouteList, routesIn } from "../support/opencode/native-routes.ts";
import { startOpencode } from "../support/opencode/opencode-server.ts";
import { OpencodeWorld } from "../support/opencode/opencode-world.ts";

let world: OpencodeWorld;
beforeAll(async () => {
  world = await new OpencodeWorld({ behindProxy: true }).start();
});
afterAll(() => world.dispose());

const call = <T>(method: string, path: string, body?: unknown) => world.opencode.server.call<T>(method, path, body);
const openSession = async () => (await call<{ id: string }>("POST", "/session", { title: "facts" })).id;
const rowsOf = (session: string) => call<StoredMessage[]>("GET", `/session/${session}/message`);
const textsOf = (rows: readonly StoredMessage[]) =>
  rows.map(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join());
const parentsOf = (rows: readonly StoredMessage[]) =>
  rows.flatMap(({ info }) => (info.role === "assistant" ? [info.parentID] : []));

async function prompt(session: string, id: string, text: string): Promise<void> {
  const parts = [{ id: `prt_${id}`, type: "text", text }];
  await call("POST", `/session/${session}/prompt_async`, { messageID: `msg_${id}`, parts });
}

/** After the model is called, the session is busy until the turn ends. */
async function ended(session: string, asked: string): Promise<void> {
  await world.modelIsAsked(asked);
  await world.opencode.rests(session);
}

/** Waits for a turn that must not happen. On a busy machine it may come later and go unnoticed. */
async function nothingComes(session: string): Promise<void> {
  await wait(700);
  await world.opencode.rests(session);
}

test("the server has exactly the recorded routes", async () => {
  expect(routesIn(await call("GET", "/doc"))).toEqual(nativeRouteList());
});

describe("the same ids", () => {
  test("change nothing while their turn runs: one message, one turn", async () => {
    world.script({ rules: [{ when: "take long", steps: [{ waitMs: 1200, say: "Took long." }] }] });
    const session = await openSession();
    await prompt(session, "run1", "take long");
    await world.modelIsAsked("take long");
    await prompt(session, "run1", "take long");
    await nothingComes(session);
    const rows = await rowsOf(session);
    expect(textsOf(rows)).toEqual(["take long", "Took long."]);
    expect(world.turns("take long")).toBe(1);
  });

  test("change nothing after their turn has ended, and another text replaces the stored one without an answer", async () => {
    world.script({ rules: [{ when: "be quick", steps: [{ say: "Was quick." }] }] });
    const session = await openSession();
    await prompt(session, "end1", "be quick");
    await ended(session, "be quick");
    await prompt(session, "end1", "be quick");
    await nothingComes(session);
    expect(textsOf(await rowsOf(session))).toEqual(["be quick", "Was quick."]);
    await prompt(session, "end1", "be slow");
    await expect.poll(async () => textsOf(await rowsOf(session))).toEqual(["be slow", "Was quick."]);
    await nothingComes(session);
    expect(world.turns("be quick") + world.turns("be slow")).toBe(1);
  });

  test("make the model run again under the old message after a later prompt, so Waybill never does this", async () => {
    world.script({ rules: [{ when: "/say (\\w+)/", steps: [{ say: "I say {{1}}." }] }] });
    const session = await openSession();
    await prompt(session, "old1", "say one");
    await ended(session, "say one");
    await prompt(session, "old2", "say two");
    await ended(session, "say two");
    const before = world.model.calls.length;
    await prompt(session, "old1", "say one");
    await expect.poll(() => world.model.calls.length).toBe(before + 1);
    await world.opencode.rests(session);
    expect(parentsOf(await rowsOf(session))).toEqual(["msg_old1", "msg_old2", "msg_old1"]);
  });
});

describe("a compaction", () => {
  test("of only the prompt that was too long does not repeat it: the agent is told to continue", async () => {
    world.script({ rules: [{ when: "at once too much", once: true, steps: [{ error: "context_length" }] }] });
    const session = await openSession();
    await prompt(session, "much1", "at once too much");
    const users = async () => (await rowsOf(session)).filter(({ info }) => info.role === "user");
    await expect.poll(users).toHaveLength(3);
    await world.opencode.rests(session);
    expect((await users()).map(({ parts }) => parts)).toMatchObject([[{}], [{}], [{ type: "text", synthetic: true }]]);
    expect(world.turns("at once too much")).toBe(1);
  });
});

test("a package is installed for a configuration directory in a project, and never for an isolated home", async () => {
  const asked: string[] = [];
  const registry = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(404).end("{}");
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void registry.close());
  await once(registry, "listening");
  const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  const home = join(world.directory, "isolated");
  const project = join(home, "work", "project");
  mkdirSync(join(project, ".opencode"), { recursive: true });
  writeFileSync(join(home, ".npmrc"), `registry=${url}/of-the-home\n`);
  writeFileSync(join(project, ".opencode", ".npmrc"), `registry=${url}/of-the-project\n`);

  const server = await startOpencode({ modelUrl: world.model.url, home });
  onTestFinished(() => server.stop());
  // The home's turn comes first.
  await server.call("POST", "/session", {});
  await server.call("POST", `/session?directory=${encodeURIComponent(project)}`, {});
  await expect.poll(() => asked).toContain("/of-the-project/@opencode-ai%2fplugin");
  expect(asked.filter((path) => path.startsWith("/of-the-home"))).toEqual([]);
});

test("a prompt with an output format breaks reading and forking its session, so Waybill sends none", async () => {
  const answer = { tools: [{ tool: "StructuredOutput", input: { port: 8080 } }] };
  world.script({ rules: [{ when: "which port", steps: [answer] }] });
  const session = await openSession();
  const schema = { type: "object", properties: { port: { type: "number" } }, required: ["port"] };
  const body = { parts: [{ type: "text", text: "which port" }], format: { type: "json_schema", schema } };
  const { info } = await call<StoredMessage>("POST", `/session/${session}/message`, body);
  expect(info).toMatchObject({ structured: { port: 8080 } });
  await expect(rowsOf(session)).rejects.toThrow(/400/);
  await expect(call("POST", `/session/${session}/fork`, {})).rejects.toThrow(/500/);
});
