import { describe, expect, test } from "vitest";
import {
  accepted,
  cancelled,
  failedForGood,
  move,
  proven,
  retryScheduled,
  submit,
  toPerson,
  unanswered,
} from "../../test/support/core/deliveries.ts";
import { anEvent } from "../../test/support/core/events.ts";
import { deliveryOf } from "../../test/support/core/records.ts";
import { served, token } from "../../test/support/daemon/http-api.ts";
import { runCommand } from "../../test/support/daemon/run-command.ts";
import type { TestService } from "../../test/support/daemon/test-service.ts";
import { testService } from "../../test/support/daemon/test-service.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import { restart } from "./commands/restart.ts";
import { loadCommand } from "./commands.ts";
import { commandHelp } from "./help.ts";

async function daemon(lanes = ["chat"]) {
  const service = testService(lanes);
  const { listening } = await served({ service, server: { closeMs: 50 } });
  const env = { WAYBILL_URL: `http://127.0.0.1:${listening.port}`, WAYBILL_TOKEN: token };
  const run = async (line: string[], options: { interrupted?: AbortSignal; onNote?: (line: string) => void } = {}) => {
    const command = await loadCommand(line[0] ?? "");
    if (!command) throw new Error(`no command ${line[0]}`);
    return runCommand(command, line.slice(1), { env, ...options });
  };
  const json = async (...line: string[]) => {
    const { code, out } = await run([...line, "--json"]);
    expect({ code, lines: out.length }).toEqual({ code: 0, lines: 1 });
    return JSON.parse(out[0] ?? "");
  };
  return { service, run, json, env };
}

describe("lanes", () => {
  test("--json is one line, by id", async () => {
    const { json } = await daemon(["chat", "review"]);
    expect(await json("lanes")).toMatchObject({ lanes: [{ id: "chat", pausedReason: null }, { id: "review" }] });
  });

  test("are listed, added, paused, resumed, shown and removed", async () => {
    const { run, service } = await daemon(["chat"]);
    expect((await run(["lanes"])).out).toEqual(["LANE  RUNTIME  DOING  DIRECTORY", "chat  stub     free   /tmp"]);
    await run(["lanes", "add", "api", "--directory", "/srv/api", "--contract", "tool"]);
    expect((await service.lane("api")).lane).toMatchObject({ directory: "/srv/api", contract: "tool" });
    expect((await run(["lanes", "pause", "api", "--reason", "lunch"])).out).toEqual(["Lane api is paused."]);
    expect((await run(["lanes"])).out.at(-1)).toMatch(/^api +stub +paused \(lunch\)/);
    await run(["lanes", "resume", "api"]);
    expect((await run(["lanes", "show", "api"])).out).toContain("doing      free");
    expect((await run(["lanes", "remove", "api"])).out).toEqual(["Lane api is removed."]);
    expect((await service.lanes()).map(({ lane }) => lane.id)).toEqual(["chat"]);
  });

  test("adopt gives a lane a session, and requires its id", async () => {
    const { run, service, json } = await daemon(["chat"]);
    expect((await run(["lanes", "adopt", "chat", "ses_1"])).out).toEqual([
      "Lane chat uses session ses_1 from its next message on.",
    ]);
    expect((await service.lane("chat")).lane).toMatchObject({ sessionId: "ses_1", generation: 1 });
    expect(await json("lanes", "adopt", "chat", "ses_2")).toMatchObject({ sessionId: "ses_2", generation: 2 });
    const misused = { code: "usage", message: expect.stringContaining("needs the id of a session") };
    await expect(run(["lanes", "adopt", "chat"])).rejects.toMatchObject(misused);
    await expect(run(["lanes", "adopt", "chat", "ses_1", "ses_2"])).rejects.toMatchObject({ code: "usage" });
  });

  test("a runtime's notice is shown once for all of its lanes, and in each lane", async () => {
    const { run, service, json } = await daemon(["chat", "docs"]);
    service.notices = [{ code: "events_unusable", message: "No events come." }];
    const { out, notes } = await run(["lanes"]);
    expect(out).toHaveLength(3);
    expect(notes).toEqual(["chat, docs: No events come."]);
    expect((await run(["lanes", "show", "chat"])).out).toContain("notice     No events come.");
    expect(await json("lanes", "show", "chat")).toMatchObject({ notices: service.notices });
  });

  test("untrusted names cannot move the cursor", async () => {
    const { run, service } = await daemon(["chat"]);
    const { lane } = await service.lane("chat");
    const evil = "\u001b[2Jgone\n\u0007\u202eno";
    await service.store.putLane({ ...lane, displayName: evil, model: evil });
    await service.pause("chat", evil);
    const { out } = await run(["lanes"]);
    expect(out[1]).toBe("chat  stub     paused (gone no)  /tmp");
    const shown = (await run(["lanes", "show", "chat"])).out;
    expect(shown).toContain("name       gone no");
    expect(shown).toContain("doing      paused (gone no)");
    expect(shown).toContain("model      gone no");
  });

  test("keep settings that are not given when they are changed", async () => {
    const { run, service } = await daemon(["chat"]);
    const all = ["--directory", "/srv/api", "--name", "API", "--team", "core", "--member", "tom", "--contract", "tool"];
    await run(["lanes", "add", "api", ...all]);
    await run(["lanes", "add", "api", "--model", "sonnet"]);
    expect((await service.lane("api")).lane).toMatchObject({
      directory: "/srv/api",
      displayName: "API",
      team: "core",
      member: "tom",
      contract: "tool",
      model: "sonnet",
    });
  });

  test("drop the old model or agent when another one is chosen", async () => {
    const { run, service } = await daemon(["chat"]);
    await run(["lanes", "add", "chat", "--model", "sonnet"]);
    await run(["lanes", "add", "chat", "--agent", "plan"]);
    expect((await service.lane("chat")).lane).toMatchObject({ agent: "plan", model: null });
    await run(["lanes", "add", "chat", "--contract", "tool"]);
    expect((await service.lane("chat")).lane).toMatchObject({ agent: "plan", contract: "tool" });
  });

  test("show the member of each lane, if any lane has one", async () => {
    const { run } = await daemon(["chat"]);
    await run(["lanes", "add", "api", "--directory", "/srv/api", "--team", "core", "--member", "tom"]);
    expect((await run(["lanes"])).out).toEqual([
      "LANE  MEMBER       RUNTIME  DOING  DIRECTORY",
      "chat               stub     free   /tmp",
      "api   tom of core  stub     free   /srv/api",
    ]);
  });

  test("an unknown subcommand gets the nearest one suggested", async () => {
    const { run } = await daemon();
    await expect(run(["lanes", "pasue", "chat"])).rejects.toMatchObject({
      code: "usage",
      hint: expect.stringContaining("`pause`"),
    });
  });
});

describe("teams", () => {
  test("keep settings that are not given when they are changed", async () => {
    const { run, service } = await daemon([]);
    await run(["teams", "create", "core", "--name", "Core team"]);
    await run(["teams", "create", "core"]);
    expect(await service.team("core")).toMatchObject({ displayName: "Core team" });
    await run(["teams", "add", "core", "anna", "--kind", "person", "--role", "lead"]);
    await run(["teams", "add", "Core", "anna", "--name", "Anna"]);
    await run(["teams", "create", "core", "--name", "The core"]);
    expect(await service.team("core")).toMatchObject({
      displayName: "The core",
      members: [{ name: "anna", kind: "person", role: "lead", displayName: "Anna" }],
    });
  });
});

describe("send", () => {
  test("prints the sent message, and repeating it sends nothing new", async () => {
    const { json, service } = await daemon();
    const line = ["send", "--lane", "chat", "--id", "m7", "--mode", "ask", "Is", "it", "green?"];
    const sent = await json(...line);
    expect(sent).toMatchObject({ messageId: "m7", status: "pending", responsePending: true });
    expect(await json(...line)).toEqual(sent);
    expect((await service.messages({ limit: 10 })).items).toHaveLength(1);
    expect(service.sent[0]).toMatchObject({ text: "Is it green?", actionMode: "ask", source: "cli" });
  });

  test("passes on every option of a message", async () => {
    const { run, service } = await daemon();
    const before = Date.now();
    await run("send --lane chat --from ann --reply-to bob --relay-of m1 --summary s --expires-in 10m hello".split(" "));
    expect(service.sent[0]).toMatchObject({ from: "ann", replyTo: "bob", relayOfMessageId: "m1", summary: "s" });
    expect(service.sent[0]?.expiresAt).toBeGreaterThanOrEqual(before + 600_000);
  });

  test.each([
    ["no recipient", ["hello"], /the recipient is missing/],
    ["two recipients", ["--lane", "chat", "--team", "core", "hello"], /the recipient is missing/],
    ["an unknown mode", ["--lane", "chat", "--mode", "aks", "hello"], /--mode must be one of do, ask/],
    ["a time that is none", ["--lane", "chat", "--expires-in", "soon", "hello"], /--expires-in must be a duration/],
    ["a timeout without --wait", ["--lane", "chat", "--timeout", "5", "hello"], /works only with --wait/],
    ["an empty text", ["--lane", "chat", " "], /the text is empty/],
  ])("%s is a usage error", async (_what, args, words) => {
    const { run } = await daemon();
    await expect(run(["send", ...args])).rejects.toThrow(
      expect.objectContaining({ code: "usage", message: expect.stringMatching(words) }),
    );
  });

  test("an unknown lane is reported by the daemon", async () => {
    const { run } = await daemon();
    await expect(run(["send", "--lane", "nowhere", "hello"])).rejects.toMatchObject({
      code: "lane_unknown",
      status: 404,
    });
  });
});

describe("send --wait", () => {
  /** Plays these steps as soon as the message arrives. */
  async function answeringDaemon(play: (service: TestService, record: DeliveryRecord) => unknown) {
    const made = await daemon();
    const { service } = made;
    const send = service.send.bind(service);
    service.send = async (message) => {
      const sent = await send(message);
      setImmediate(() => void play(service, deliveryOf(sent)));
      return sent;
    };
    return made;
  }

  async function silentThenAnswered({ store }: TestService, admitted: DeliveryRecord) {
    const events = [submit(admitted), accepted(), unanswered(), retryScheduled(Date.now())];
    const { record } = await move(store, admitted, ...events);
    await move(store, record, submit(record));
    const text = "Yes.\u001b[2J\nAll green.";
    const reply = {
      id: "answer",
      from: "agent",
      laneId: "chat",
      fromLane: "chat",
      text,
      relayOfMessageId: record.messageId,
    };
    const remark = { ...reply, id: "remark", text: "Got it.", outcome: "acknowledgement" as const };
    await store.apply(record.id, [proven()], [toPerson(remark), toPerson(reply)]);
  }

  test("shows every step on standard error, and only the answer on standard output", async () => {
    const { run } = await answeringDaemon(silentThenAnswered);
    const { code, out, notes } = await run(["send", "--lane", "chat", "--id", "m1", "--wait", "Green?"]);
    expect(out).toEqual(["Yes.", "All green."]);
    expect(code).toBe(0);
    expect(notes.map((line) => line.replace(/^ *[\d.]+s {2}/, ""))).toEqual([
      "message m1",
      expect.stringMatching(/^(sent|asked again)/),
      "accepted, which proves nothing yet",
      "the turn ended without an answer (empty_assistant_turn)",
      expect.stringMatching(/^will be asked again/),
      "asked again (attempt 2)",
      "responded after 2 attempts",
      "Got it. (only an acknowledgement; the agent is asked to continue)",
    ]);
  });

  test("--json prints a line for each event, and the delivery last", async () => {
    const { run } = await answeringDaemon(silentThenAnswered);
    const { code, out } = await run(["send", "--lane", "chat", "--wait", "--json", "Green?"]);
    const lines = out.map((line) => JSON.parse(line));
    expect(code).toBe(0);
    expect(lines.slice(0, -1).map(({ type, event }) => `${type} ${event}`)).toEqual(
      ["admitted", "submit", "accepted", "unanswered", "retry_scheduled", "submit", "proven"].map(
        (event) => `delivery ${event}`,
      ),
    );
    expect(lines.at(-1)).toMatchObject({
      status: "responded",
      attempts: 2,
      replies: [{ text: "Got it." }, { from: "agent" }],
    });
  });

  test.each([
    [
      failedForGood(),
      3,
      /failed_terminal after 0 attempts \(no_answer\)/,
      /^The reason is no_answer\. It failed for good/,
    ],
    [cancelled(), 4, /cancelled after 0 attempts \(stopped_by_person\)/, /^A person stopped it\.$/],
  ])("exits with the code of the outcome, and explains it: %j", async (event, exit, words, explanation) => {
    const { run } = await answeringDaemon(({ store }, record) => move(store, record, event));
    const { code, out, notes } = await run(["send", "--lane", "chat", "--wait", "Green?"]);
    expect({ code, out }).toEqual({ code: exit, out: [] });
    expect(notes.slice(-2)).toEqual([expect.stringMatching(words), expect.stringMatching(explanation)]);
  });

  test("--timeout stops waiting, but not the delivery", async () => {
    const { run } = await answeringDaemon(() => {});
    const line = ["send", "--lane", "chat", "--id", "m1", "--wait", "--timeout", "0.4", "Green?"];
    const { code, out, notes } = await run(line);
    expect({ code, out }).toEqual({ code: 124, out: [] });
    expect(notes.at(-1)).toBe("Stopped waiting; the delivery continues. To check on it: waybill why m1");
    const { out: lines } = await run([...line, "--json"]);
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ messageId: "m1", status: "pending", attempts: 0 });
  });

  test("Ctrl-C says that the delivery continues, and how to check on it", async () => {
    const { run } = await answeringDaemon(() => {});
    const stop = new AbortController();
    const onNote = (line: string) => line.includes("message m1") && stop.abort();
    const line = ["send", "--lane", "chat", "--id", "m1", "--wait", "Green?"];
    const { code, notes } = await run(line, { interrupted: stop.signal, onNote });
    expect(code).toBe(130);
    expect(notes.at(-1)).toBe("Stopped; the delivery continues. To check on it: waybill why m1");
  });
});

describe("a sent message", () => {
  async function withTwo() {
    const made = await daemon(["chat", "review"]);
    await made.json("send", "--lane", "chat", "--id", "first", "Is it green?");
    await made.json("send", "--lane", "review", "--id", "second", "Read it, please.");
    return made;
  }

  test("is listed, newest first, by lane and by status", async () => {
    const { json, run } = await withTwo();
    const ids = async (...line: string[]) =>
      (await json("deliveries", ...line)).deliveries.map(({ messageId }: { messageId: string }) => messageId);
    expect(await ids()).toEqual(["second", "first"]);
    expect(await ids("--lane", "chat")).toEqual(["first"]);
    expect(await ids("--open")).toEqual(["second", "first"]);
    expect(await ids("--status", "responded,cancelled")).toEqual([]);
    const { out, notes } = await run(["deliveries", "--limit", "1"]);
    expect(out).toHaveLength(2);
    expect(out[1]).toMatch(/review +pending +0 of 3 .*second/);
    expect(notes).toEqual(["There are more: --limit N shows up to 200."]);
  });

  test("can be searched", async () => {
    const { json } = await withTwo();
    expect(await json("messages", "--search", "green")).toMatchObject({ messages: [{ id: "first" }] });
    expect(await json("messages", "--lane", "review")).toMatchObject({ messages: [{ id: "second" }] });
  });

  test("is shown by message id, by delivery id, and by a prefix of either", async () => {
    const { json, run } = await withTwo();
    const shown = await json("show", "first");
    expect(shown).toMatchObject({ messageId: "first", lane: "chat", next: { step: "sends" } });
    expect(await json("show", shown.id)).toEqual(shown);
    expect(await json("show", shown.id.slice(0, 8))).toEqual(shown);
    expect(await json("show", "fir")).toEqual(shown);
    expect((await run(["show", "first"])).out.join("\n")).toMatch(/status +pending[\s\S]*user +Is it green\?/);
    await expect(run(["show", "third"])).rejects.toMatchObject({ code: "not_found" });
    await run(["send", "--lane", "chat", "--id", "firm", "Once more."]);
    await expect(run(["show", "fir"])).rejects.toMatchObject({
      code: "ambiguous",
      hint: expect.stringContaining("firm"),
    });
  });

  test("is explained: where it is, why, what happens next, and what a person can do", async () => {
    const { json, run } = await withTwo();
    expect(await json("why", "first")).toMatchObject({
      deliveries: [{ messageId: "first", status: "pending", reason: null, next: { words: "It is sent now." } }],
    });
    const words = (await run(["why", "first"])).out.join("\n");
    expect(words).toMatch(/^Message first to lane chat: pending\n/);
    expect(words).toMatch(/state +It is sent now\. \(/);
    expect(words).toMatch(/you can +waybill withdraw first/);
    await run(["send", "--lane", "chat", "--id", "later", "Once more."]);
    expect((await run(["why", "later"])).out.join("\n")).toMatch(/you can +waybill why first, waybill withdraw later/);
  });

  test("is cancelled by a prefix of its id, or withdrawn", async () => {
    const { json, run } = await withTwo();
    expect(await json("cancel", "fir")).toMatchObject({ messageId: "first", status: "cancelled" });
    expect((await run(["withdraw", "second"])).out).toEqual(["Message second is withdrawn (cancelled)."]);
    await expect(run(["retry", "first"])).rejects.toMatchObject({ code: "not_possible", status: 409 });
  });
});

describe("asks", () => {
  test("are listed, and answered by a prefix of their id", async () => {
    const { service, json, run } = await daemon();
    const ask = { laneId: "chat", since: 0 };
    service.announce({ ...ask, id: "per_17", kind: "permission", title: "rm -rf\u001b[1A build" });
    service.announce({ ...ask, id: "que_3", kind: "question", title: "Which port?" });
    expect((await run(["asks"])).out[1]).toMatch(/^per_17 +permission +chat .* rm -rf build$/);
    expect(await json("asks")).toMatchObject({ asks: [{ id: "per_17" }, { id: "que_3" }] });
    expect(await json("answer", "per", "always")).toEqual({ answered: "per_17", decision: "always" });
    const { out } = await run(["answer", "que_3", "--answer", "8080"]);
    expect(out).toEqual(["The agent in lane chat got your answer: 8080."]);
    expect(service.answers).toMatchObject([
      { id: "per_17", decision: { decision: "always" } },
      { id: "que_3", decision: { decision: "once", answers: [["8080"]] } },
    ]);
  });

  test.each([
    [["per_17", "maybe"], /must be once, always or reject, not maybe; --answer TEXT answers a question/],
    [["per_17", "--answer", "No!"], /is a permission: use once, always or reject/],
    [["que_3", "once"], /is a question: use --answer TEXT, or reject/],
  ])("are not answered with what fits only another kind: %s", async (words, message) => {
    const { service, run } = await daemon();
    const ask = { laneId: "chat", since: 0 };
    service.announce({ ...ask, id: "per_17", kind: "permission", title: "rm -rf build" });
    service.announce({ ...ask, id: "que_3", kind: "question", title: "Which port?" });
    await expect(run(["answer", ...words])).rejects.toMatchObject({ code: "usage", message });
    expect(service.answers).toEqual([]);
  });
});

test.each([
  ["--timeout", "25d"],
  ["--timeout", "0"],
  ["--expires-in", "366d"],
  ["--expires-in", "99999999999d"],
])("%s %s is refused as a duration", async (option, value) => {
  const { run, service } = await daemon();
  await expect(run(["send", "--lane", "chat", "--wait", option, value, "hi"])).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining(option),
  });
  expect((await service.deliveries({ limit: 10 })).items).toHaveLength(0);
});

describe("watch", () => {
  test("shows events until it is stopped", async () => {
    const { service, run, json } = await daemon();
    const stop = new AbortController();
    const watching = run(["watch", "--lane", "chat", "--after", service.logEnd()], {
      interrupted: stop.signal,
    });
    const { deliveryId } = await json("send", "--lane", "chat", "--id", "m1", "Is it\n green?");
    const { record } = await service.delivery(deliveryId);
    await move(service.store, record, submit(record), accepted());
    await expect.poll(() => service.taken).toBe(4);
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    const { code, out } = await watching;
    expect(code).toBe(130);
    expect(out.map((line) => line.slice(10))).toEqual([
      "chat  user → chat: Is it green? [m1]",
      "chat  m1  sent",
      "chat  m1  accepted, which proves nothing yet",
    ]);
  });
});

test("watch --json reports a lost connection in JSON, once", async () => {
  const service = testService(["chat"]);
  const { listening } = await served({ service, server: { closeMs: 50 } });
  const env = { WAYBILL_URL: `http://127.0.0.1:${listening.port}`, WAYBILL_TOKEN: token };
  const stop = new AbortController();
  const watch = await loadCommand("watch");
  const after = service.logEnd();
  const notes: string[] = [];
  const options = { env, interrupted: stop.signal, onNote: (line: string) => void notes.push(line) };
  const watching = watch && runCommand(watch, ["--json", "--after", after], options);
  await expect.poll(() => service.following).toBe(1);
  await listening.close();
  await expect.poll(() => notes).toHaveLength(2);
  // Time enough to report it again.
  await new Promise((resolve) => setTimeout(resolve, 600));
  stop.abort();
  const codes = (await watching)?.notes.map((line) => JSON.parse(line).error.code);
  expect(codes).toEqual(["connection_lost", "no_daemon"]);
});

describe("the daemon itself", () => {
  test("open prints an address with a code, never with the token", async () => {
    const { json, env } = await daemon();
    const { url } = await json("open");
    expect(url).toMatch(new RegExp(`^${env.WAYBILL_URL}/login\\?code=.{16,}`));
    expect(url).not.toContain(token);
  });

  test("restart waits for a new run, and gives up after the timeout", async () => {
    const { service, run } = await daemon();
    expect(await run(["restart", "--timeout", "0.5"])).toMatchObject({ code: 124 });
    expect(service.restarts).toBe(1);
    const misused = { code: "usage", message: "--timeout must be a duration like 30s or 2m, not soon" };
    await expect(run(["restart", "--timeout", "soon"])).rejects.toMatchObject(misused);
    expect(commandHelp(restart)).toContain("[--timeout DURATION]");
  });
});

describe("follow", () => {
  const ended = (reason: "completed" | "error" | "aborted" | "interrupted", queued = 0) =>
    ({ type: "turn.ended", data: { reason, error: null, queued } }) as const;
  const started = { type: "turn.started", data: { prompt: null } } as const;

  test.each([
    ["completed", 0],
    ["error", 3],
    ["interrupted", 3],
    ["aborted", 4],
  ] as const)("--once exits with the turn; %s is exit code %d", async (reason, code) => {
    const { run, service } = await daemon();
    const onNote = () => {
      const bodies = [ended("completed", 1), started, ended(reason), started];
      for (const [index, body] of bodies.entries())
        service.publish(anEvent({ seq: index + 1, lane: "chat", turn: 1 }, body));
    };
    const followed = await run(["follow", "chat", "--once"], { onNote });
    expect(followed.code).toBe(code);
    expect(followed.out).toEqual([
      ...["the turn ended: completed; 1 prompt next", "turn 1", `the turn ended: ${reason}`],
    ]);
  });

  test("--all starts with the oldest kept event, and --json prints one event per line", async () => {
    const { run, service } = await daemon();
    const events = [started, ended("completed")].map((said, index) => anEvent({ seq: index + 1, lane: "chat" }, said));
    for (const event of events) service.publish(event);
    const stop = new AbortController();
    const following = run(["follow", "chat", "--all", "--json"], { interrupted: stop.signal });
    await expect.poll(() => service.following).toBe(1);
    stop.abort();
    const { code, out } = await following;
    expect(code).toBe(130);
    expect(out.map((line) => JSON.parse(line))).toEqual(
      events.map((event) => ({ ...event, cursor: expect.any(String) })),
    );
  });

  test("an unknown lane is reported immediately", async () => {
    const { run } = await daemon();
    await expect(run(["follow", "nobody"])).rejects.toMatchObject({ code: "lane_unknown" });
    await expect(run(["follow"])).rejects.toMatchObject({ code: "usage" });
  });
});
