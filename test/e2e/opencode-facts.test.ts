/**
 * Facts in `docs/opencode.md` that Waybill relies on, tested on the real server: lists of sessions, ids that
 * are sent again, compaction, subtasks. A new version that behaves differently fails here first.
 */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { StoredMessage } from "../../src/runtimes/opencode/client/api.ts";
import { conformingLane } from "../conformance/runtime-conformance.ts";
import { nativeRouteList, routesIn } from "../support/opencode/native-routes.ts";
import { startOpencode } from "../support/opencode/opencode-server.ts";
import { OpencodeWorld } from "../support/opencode/opencode-world.ts";

let world: OpencodeWorld;
beforeAll(async () => {
  world = await new OpencodeWorld({ behindProxy: true, config: { permission: { bash: "ask" } } }).start();
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

describe("the sessions of a directory", () => {
  const at = (directory: string) => `directory=${encodeURIComponent(directory)}`;
  const open = async (directory: string, more: object = {}) =>
    (await call<{ id: string }>("POST", `/session?${at(directory)}`, more)).id;
  const listed = (directory: string) =>
    world.runtime.sessionsIn(conformingLane("opencode", directory), AbortSignal.timeout(60_000));
  const made = (name: string) => {
    const directory = join(world.directory, name);
    mkdirSync(directory);
    return directory;
  };

  test("are cut off after a hundred by the server, but Waybill lists all of them, including archived ones", async () => {
    const directory = made("crowded");
    const ids: string[] = [];
    for (let count = 0; count < 102; count += 1) ids.push(await open(directory));
    await call("PATCH", `/session/${ids[0]}`, { time: { archived: Date.now() } });
    expect(await call("GET", `/session?${at(directory)}`)).toHaveLength(100);
    expect([...(await listed(directory))].sort()).toEqual(ids.sort());
  });

  test("from before it became a repository are missing in its project's list, but Waybill lists them", async () => {
    const directory = made("repository");
    mkdirSync(join(directory, "sub"));
    const before = await open(join(directory, "sub"));
    const author = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    execFileSync("git", ["init", "-q"], { cwd: directory });
    execFileSync("git", [...author, "commit", "-q", "--allow-empty", "-m", "one"], { cwd: directory });
    await call("POST", `/instance/dispose?${at(join(directory, "sub"))}`);
    const after = await open(join(directory, "sub"));
    expect(await call("GET", `/session?${at(join(directory, "sub"))}`)).toMatchObject([{ id: after }]);
    expect(await listed(join(directory, "sub"))).toEqual([after, before]);
    expect(await listed(directory)).toEqual([]);
  });

  test("are listed without subtasks", async () => {
    const directory = made("parents");
    const parent = await open(directory);
    await open(directory, { parentID: parent });
    expect(await listed(directory)).toEqual([parent]);
  });

  test("are found by any path of the directory", async () => {
    const directory = made("100%25 of a+b & ü");
    symlinkSync(directory, join(world.directory, "link"));
    const session = await world.runtime.openSession(conformingLane("opencode", directory), AbortSignal.timeout(60_000));
    expect(await listed(directory)).toEqual([session]);
    expect(await listed(join(world.directory, "link"))).toEqual([session]);
  });
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
  test("mid-turn is followed to the answer, and its summary is not an answer", async () => {
    const full = { usage: { input: 99_000, output: 100 } };
    const looking = [{ tool: "bash", input: { command: "echo full", description: "fills" } }];
    world.script({
      rules: [
        { when: "fill it up", steps: [{ tools: looking, ...full }] },
        { when: "/^Continue/", steps: [{ say: "Went on: 2 parts." }] },
      ],
    });
    await world.send("mid-turn", "Please fill it up.");
    await world.until("mid-turn", (record) => record.responseState === "permission_blocked");
    await world.waybill.interventions.answer(world.waybill.asks.list()[0]?.id ?? "", { decision: "once" });
    const record = await world.reaches("mid-turn", "responded");
    expect(record).toMatchObject({ attempts: 1 });
    const rows = await rowsOf(record.runtimeSessionId ?? "");
    expect(rows.some(({ info }) => info.role === "assistant" && info.summary === true)).toBe(true);
    expect((await world.answers()).at(-1)).toBe("Went on: 2 parts.");
  });

  test("after the answer makes the agent continue; the lane waits for that, and the answer stays the same", async () => {
    world.script({
      rules: [
        { when: "end full", steps: [{ say: "The answer is 17.", usage: { input: 99_000, output: 100 } }] },
        { when: "/^Continue/", steps: [{ waitMs: 500, say: "There is nothing else to do here." }] },
        { when: "what next", steps: [{ say: "Next is 18." }] },
      ],
    });
    await world.send("end-full", "Please end full.");
    await world.send("next", "Tell me what next.");
    await world.reaches("end-full", "responded");
    expect(await world.reaches("next", "responded")).toMatchObject({ attempts: 1 });
    expect((await world.answers()).slice(-2)).toEqual(["The answer is 17.", "Next is 18."]);
    expect(world.turns("end full")).toBe(1);
  });

  test("of a prompt that was too long repeats it under another id, and the answer is found there", async () => {
    world.script({
      rules: [
        { when: "too long", once: true, steps: [{ error: "context_length" }] },
        { when: "too long", steps: [{ say: "It fits now: 3 pages." }] },
      ],
    });
    await world.send("overflow", "This is too long.");
    const record = await world.reaches("overflow", "responded");
    expect(record).toMatchObject({ attempts: 1 });
    expect((await world.answers()).at(-1)).toBe("It fits now: 3 pages.");
    const answer = (await rowsOf(record.runtimeSessionId ?? "")).at(-1)?.info;
    expect(answer?.role === "assistant" && answer.parentID).not.toBe(record.deliveredUserMessageId);
  });

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

test("a subtask runs in its own session, and its ask appears in the lane and can be answered there", async () => {
  const task = { description: "count", prompt: "sub work", subagent_type: "general" };
  world.script({
    rules: [
      { when: "delegate it", steps: [{ tools: [{ tool: "task", input: task }] }, { say: "Counted below: 3." }] },
      {
        when: "sub work",
        steps: [
          { tools: [{ tool: "bash", input: { command: "echo sub", description: "x" } }] },
          { say: "I counted 3." },
        ],
      },
    ],
  });
  await world.send("subtask", "Please delegate it.");
  const { runtimeSessionId } = await world.until("subtask", (record) => record.responseState === "permission_blocked");
  const [ask] = world.waybill.asks.list();
  expect(ask).toMatchObject({ laneId: "lane", title: expect.stringContaining("echo sub") });
  const [child] = await call<{ id: string }[]>("GET", `/session/${runtimeSessionId}/children`);
  expect(await call("GET", "/permission")).toMatchObject([{ id: ask?.id, sessionID: child?.id }]);
  await world.waybill.interventions.answer(ask?.id ?? "", { decision: "once" });
  expect(await world.reaches("subtask", "responded")).toMatchObject({ attempts: 1 });
  expect((await world.answers()).at(-1)).toBe("Counted below: 3.");
});
