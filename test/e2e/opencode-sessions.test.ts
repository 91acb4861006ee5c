/** Sessions that somebody else started, lists of sessions, and the system prompt, on the real OpenCode server. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Session } from "../../src/runtimes/opencode/client/api.ts";
import type { Service } from "../../src/service/service.ts";
import { conformingLane } from "../conformance/runtime-conformance.ts";
import { anApiOn } from "../support/daemon/http-api.ts";
import { serviceOf } from "../support/daemon/service-of.ts";
import { OpencodeWorld } from "../support/opencode/opencode-world.ts";

const world = new OpencodeWorld({
  permissions: "safe",
  systemPromptPath: "system.md",
  lanes: [
    {},
    { id: "other", directory: "other" },
    { id: "twin", directory: "work" },
    { id: "link", directory: "link" },
    { id: "leaving", directory: "leaving" },
    { id: "left", directory: "left" },
  ],
});
const at = (...way: string[]) => join(world.directory, ...way);
let service: Service;

beforeAll(async () => {
  for (const place of ["other", "leaving", "left"]) mkdirSync(at(place));
  symlinkSync(at("work"), at("link"));
  writeFileSync(at("waybill-state", "token"), "not for everyone\n");
  writeFileSync(at("system.md"), "The word of the day is heron.\n");
  await world.start();
  service = serviceOf(world.waybill);
});
afterAll(() => world.dispose());

const call: OpencodeWorld["call"] = (...given) => world.call(...given);
const begin = (directory = at("work"), more: object = {}) =>
  call<Session>("POST", "/session", { title: "somebody's own", ...more }, directory);
const prompt = (session: Session, text: string) =>
  call("POST", `/session/${session.id}/prompt_async`, { parts: [{ type: "text", text }] });
const isBusy = async (session: Session) => session.id in (await call<object>("GET", "/session/status"));

describe("a session that somebody else started", () => {
  test("is used from the next message on; its earlier turns answer nothing, and the lane's rules apply in it", async () => {
    const read = { tools: [{ tool: "read", input: { filePath: at("waybill-state", "token") } }] };
    world.script({
      rules: [
        { when: "a person asks", steps: [{ say: "This is for a person: 1." }] },
        { when: "with a tool", steps: [read, { say: "Result of 1: {{result}}" }] },
        { steps: [{ say: "This is for Waybill: 2." }] },
      ],
    });
    await world.send("before", "In a session of our own.");
    await world.reaches("before", "responded");
    const session = await begin();
    await prompt(session, "a person asks something");
    await world.modelIsAsked("a person asks");
    await expect.poll(() => isBusy(session)).toBe(false);
    const { usage } = await service.lane("lane");

    const adopted = await service.adoptSession("lane", session.id);
    expect(adopted).toMatchObject({ lane: { sessionId: session.id, generation: 2 }, holder: null });
    await world.send("after", "Do it with a tool.");
    expect(await world.reaches("after", "responded")).toMatchObject({ runtimeSessionId: session.id, attempts: 1 });
    const answers = await world.answers();
    expect(answers).toEqual(["This is for Waybill: 2.", expect.stringContaining("rule which prevents")]);
    expect(world.model.calls.filter((one) => one.kind === "turn").at(-1)?.prompt).toBe("Do it with a tool.");
    const rows = await call<{ info: { role: string; tokens?: { input: number } } }[]>(
      "GET",
      `/session/${session.id}/message`,
    );
    const [, persons] = rows;
    const after = (await service.lane("lane")).usage.tokens;
    expect(persons?.info.tokens?.input).toBeGreaterThan(0);
    const ours = rows.slice(2).reduce((sum, { info }) => sum + tokensOf(info), 0);
    expect(after - usage.tokens).toBe(ours);
  });

  test("and that is busy keeps the message waiting until that turn ends, however it ends", async () => {
    world.script({
      rules: [
        { when: "hangs", steps: [{ say: "I", breaks: { how: "hang", afterPieces: 1 } }] },
        { when: "wait for me", steps: [{ say: "Waited for 1 turn." }] },
      ],
    });
    const session = await begin();
    await prompt(session, "this one hangs");
    await world.modelIsAsked("hangs");
    await service.adoptSession("lane", session.id);
    await world.send("patient", "Please wait for me.");
    expect(await world.waits("lane")).toBe("session_busy");
    expect(world.turns("wait for me")).toBe(0);
    await call("POST", `/session/${session.id}/abort`);
    expect(await world.reaches("patient", "responded", "cancelled", "failed_terminal")).toMatchObject({
      status: "responded",
      attempts: 1,
    });
    expect((await world.answers()).at(-1)).toBe("Waited for 1 turn.");
  });

  test("and that has an open ask keeps the message waiting, and the ask is not the lane's", async () => {
    const bash = { tools: [{ tool: "bash", input: { command: "echo hello", description: "greets" } }] };
    world.script({
      rules: [
        { when: "run it", steps: [bash, { say: "It ran: 1." }] },
        { when: "wait again", steps: [{ say: "Waited for 1 ask." }] },
      ],
    });
    const session = await begin();
    await prompt(session, "run it");
    const open = async () =>
      (await call<{ id: string; sessionID: string }[]>("GET", "/permission")).find(
        (one) => one.sessionID === session.id,
      );
    await expect.poll(open).toBeDefined();
    await service.adoptSession("lane", session.id);
    await world.send("behind-ask", "Please wait again.");
    expect(await world.waits("lane")).toBe("ask_pending");
    expect(world.waybill.asks.list()).toEqual([]);
    await call("POST", `/permission/${(await open())?.id}/reply`, { reply: "once" });
    expect(await world.reaches("behind-ask", "responded")).toMatchObject({ attempts: 1 });
    expect((await world.answers()).at(-1)).toBe("Waited for 1 ask.");
  });

  test("can be adopted by a lane with another path of the same directory", async () => {
    const session = await begin();
    expect(await service.adoptSession("link", session.id)).toMatchObject({ lane: { sessionId: session.id } });
  });

  test("is refused without any change if it does not fit the lane", async () => {
    const own = await begin();
    const child = await begin(at("work"), { parentID: own.id });
    const elsewhere = await begin(at("other"));
    const adopt = (id: string, lane = "twin") => service.adoptSession(lane, id);
    await service.adoptSession("lane", own.id);
    await expect(adopt("ses_0000000000000000000000000a")).rejects.toMatchObject({ code: "session_unknown" });
    await expect(adopt("another-kind-of-id")).rejects.toMatchObject({ code: "session_unknown" });
    await expect(adopt(child.id)).rejects.toMatchObject({ code: "session_is_subtask" });
    await expect(adopt(own.id)).rejects.toMatchObject({ code: "session_in_use" });
    const both = new RegExp(`${at("other")}.*${at("work")}`);
    const error = { code: "session_other_directory", message: expect.stringMatching(both) };
    await expect(adopt(elsewhere.id)).rejects.toMatchObject(error);
    expect(await service.lane("twin")).toMatchObject({ lane: { sessionId: null, generation: 0 } });
  });

  test("is refused while the lane has a running turn", async () => {
    world.script({
      rules: [{ when: "go on for ever", steps: [{ say: "I", breaks: { how: "hang", afterPieces: 1 } }] }],
    });
    const session = await begin();
    await world.send("endless", "Please go on for ever.");
    await world.modelIsAsked("go on for ever");
    await expect(service.adoptSession("lane", session.id)).rejects.toMatchObject({ code: "lane_in_use" });
    expect((await service.lane("lane")).lane.sessionId).not.toBe(session.id);
    await service.abort("lane");
    await world.reaches("endless", "cancelled");
  });
});

describe("the system prompt", () => {
  const told = (text: string) => world.instructions(text);
  afterEach(() => writeFileSync(at("system.md"), "The word of the day is heron.\n"));

  test("is added to the agent's own instructions, and a changed one applies from the next prompt on", async () => {
    world.script({ rules: [{ steps: [{ say: "Yes, 1 word." }] }] });
    await world.send("first-word", "Is there a first word?");
    await world.reaches("first-word", "responded");
    expect(told("first word")).toEqual([expect.stringContaining("The word of the day is heron.")]);
    expect(told("first word")[0]?.length).toBeGreaterThan(1000);
    writeFileSync(at("system.md"), "The word of the day is stork.");
    await world.send("second-word", "Is there a second word?");
    await world.reaches("second-word", "responded");
    expect(told("second word")).toEqual([expect.stringContaining("stork")]);
    expect(told("second word")[0]).not.toContain("heron");
  });

  test("comes before the text that a client of OpenCode's API adds for one prompt", async () => {
    world.script({ rules: [{ steps: [{ say: "Yes, 1 word." }] }] });
    const { ask } = anApiOn(service);
    const prompts = [
      { parts: [{ type: "text", text: "Is there a third word?" }], system: "The word of the night is owl." },
      { parts: [{ type: "text", text: "Is there a fourth word?" }] },
    ];
    for (const json of prompts) {
      const answer = await ask("/opencode/session/ses_lane/message", { method: "POST", json });
      expect(answer.body).toContain("Yes, 1 word.");
    }
    expect(told("third word")).toEqual([expect.stringMatching(/day is heron\.\s+The word of the night is owl\./)]);
    expect(told("fourth word")).toEqual([expect.not.stringContaining("owl")]);
  });

  test("is also sent with retries and follow-ups, with the text that the message adds", async () => {
    const write = { tools: [{ tool: "write", input: { filePath: at("work", "made.txt"), content: "made" } }] };
    world.script({
      rules: [
        { when: "You changed files", steps: [{ say: "I wrote 1 file." }] },
        { when: "make a file", once: true, steps: [{}] },
        { when: "make a file", steps: [write, {}] },
      ],
    });
    await world.send("kinds", "Please make a file.", { actionMode: "do", system: "Today a stork is a heron." });
    const { attemptList } = await world.until(
      "kinds",
      ({ status, turnEndedAt }) => status === "responded" && turnEndedAt !== null,
    );
    expect(attemptList.map(({ kind }) => kind)).toEqual(["prompt", "retry", "summary"]);
    const all = [...told("make a file"), ...told("You changed files")];
    expect(all).toHaveLength(4);
    for (const system of all) expect(system).toContain("The word of the day is heron.\n\nToday a stork is a heron.");
  });

  test("that cannot be read keeps the message waiting with a reason, until it can", async () => {
    world.script({ rules: [{ steps: [{ say: "With it: 1." }] }] });
    rmSync(at("system.md"));
    await world.send("wordless", "Not without a word.");
    const waiting = await world.until("wordless", ({ lastReason }) => lastReason !== null);
    expect(waiting.lastReason).toBe(`system_prompt_unusable: ${at("system.md")} does not exist`);
    await world.until("wordless", ({ reconciles }) => reconciles > 2);
    expect(told("without a word")).toEqual([]);
    writeFileSync(at("system.md"), "The word of the day is crane.");
    expect(await world.reaches("wordless", "responded")).toMatchObject({ attempts: 1, attemptList: [{ sends: 1 }] });
    expect(told("without a word")).toEqual([expect.stringContaining("crane")]);
  });
});

type Tokens = { input: number; output: number; reasoning: number; cache: { read: number; write: number } };

function tokensOf({ tokens }: { tokens?: unknown }): number {
  if (tokens === undefined) return 0;
  const { input, output, reasoning, cache } = tokens as Tokens;
  return input + output + reasoning + cache.read + cache.write;
}

test("a missing directory keeps its messages waiting with a reason until it is back, and nothing is sent elsewhere", async () => {
  world.script({ rules: [{ when: "/be in (\\w+)/", steps: [{ say: "I am in {{1}}, 1." }] }] });
  const to = { lane: "leaving" };
  await world.send("stay", "Please be in place.", { to });
  await world.until("stay", ({ status }) => status === "responded", "leaving");
  for (const place of ["leaving", "left"]) rmSync(at(place), { recursive: true });
  await world.send("gone", "Please be in vain.", { to });
  await world.send("never", "Please be in vain, too.", { to: { lane: "left" } });
  const missing = (place: string) => `directory_missing: ${at(place)} does not exist`;
  expect(await world.waits("left")).toBe(missing("left"));
  const waiting = await world.until("gone", ({ lastReason }) => lastReason !== null, "leaving");
  expect(waiting).toMatchObject({ status: "failed_retryable", lastReason: missing("leaving") });
  expect(world.turns("be in vain")).toBe(0);
  for (const place of ["leaving", "left"]) mkdirSync(at(place));
  const answered = await world.until("gone", ({ status }) => status === "responded", "leaving");
  expect(answered).toMatchObject({ attempts: 1, attemptList: [{ sends: 1 }] });
  await world.until("never", ({ status }) => status === "responded", "left");
  expect(world.turns("be in vain")).toBe(2);
});

describe("the sessions of a directory", () => {
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
    for (let count = 0; count < 102; count += 1) ids.push((await begin(directory)).id);
    await call("PATCH", `/session/${ids[0]}`, { time: { archived: Date.now() } });
    expect(await call("GET", "/session", undefined, directory)).toHaveLength(100);
    expect([...(await listed(directory))].sort()).toEqual(ids.sort());
  });

  test("from before it became a repository are missing in its project's list, but Waybill lists them", async () => {
    const directory = made("repository");
    mkdirSync(join(directory, "sub"));
    const before = (await begin(join(directory, "sub"))).id;
    const author = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    execFileSync("git", ["init", "-q"], { cwd: directory });
    execFileSync("git", [...author, "commit", "-q", "--allow-empty", "-m", "one"], { cwd: directory });
    await call("POST", "/instance/dispose", undefined, join(directory, "sub"));
    const after = (await begin(join(directory, "sub"))).id;
    expect(await call("GET", "/session", undefined, join(directory, "sub"))).toMatchObject([{ id: after }]);
    expect(await listed(join(directory, "sub"))).toEqual([after, before]);
    expect(await listed(directory)).toEqual([]);
  });

  test("are listed without subtasks", async () => {
    const directory = made("parents");
    const { id: parent } = await begin(directory);
    await begin(directory, { parentID: parent });
    expect(await listed(directory)).toEqual([parent]);
  });

  test("are found by any path of the directory", async () => {
    const directory = made("100%25 of a+b & ü");
    symlinkSync(directory, join(world.directory, "other path"));
    const session = await world.runtime.openSession(conformingLane("opencode", directory), AbortSignal.timeout(60_000));
    expect(await listed(directory)).toEqual([session]);
    expect(await listed(join(world.directory, "other path"))).toEqual([session]);
  });
});
