import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Signal, SignalBody } from "../../../core/turn/signal.ts";
import type { OpencodeEvent } from "../client/event-stream.ts";
import { eventHandling, OpencodeTranslator } from "./translate.ts";

const sessionID = "ses_1";
const child = "ses_2";

function translator(): OpencodeTranslator {
  return new OpencodeTranslator(() => sessionID);
}

let events = 0;
function event(type: string, properties: object = {}): OpencodeEvent {
  events += 1;
  return { id: `evt_${events}`, type, properties: { sessionID, ...properties } };
}

/** The signals of the last event, after the others. */
function says(...heard: OpencodeEvent[]): SignalBody[] {
  const one = translator();
  const said = heard.map((event) => one.translate(event, 1000));
  return (said.at(-1) ?? []).map(bare);
}

function bare({ at: _at, session: _session, nativeSession: _native, ...said }: Signal): SignalBody {
  return said as SignalBody;
}

const user = (id = "msg_u") => event("message.updated", { info: { id, role: "user", time: { created: 1 } } });
const assistant = (more: object = {}, id = "msg_a") =>
  event("message.updated", {
    info: {
      id,
      role: "assistant",
      parentID: "msg_u",
      providerID: "p",
      modelID: "m",
      cost: 0.5,
      tokens: { input: 1, output: 2, reasoning: 3, cache: { read: 4, write: 5 } },
      time: { created: 2 },
      ...more,
    },
  });
const completed = (more: object = {}) => assistant({ time: { created: 2, completed: 3 }, finish: "stop", ...more });
const part = (more: object, messageID = "msg_a") =>
  event("message.part.updated", { part: { id: "prt_1", sessionID, messageID, ...more } });
const tool = (state: object, more: object = {}) =>
  part({ type: "tool", callID: "call_1", tool: "bash", state: { input: { command: "ls" }, ...state }, ...more });
const busy = () => event("session.status", { status: { type: "busy" } });
const idle = () => event("session.idle");
const tokens = { input: 1, output: 2, reasoning: 3, cacheRead: 4, cacheWrite: 5 };
const ran = { status: "completed", output: "ok", title: "", time: { start: 1, end: 2 } };

/** Each row of the mapping that other translators have, with the differences here. */
describe("the mapping of OpenCode's events", () => {
  test.each<[string, OpencodeEvent[], SignalBody[]]>([
    [
      "session.created: the session has started",
      [event("session.created", {})],
      [{ type: "session_started", resumed: false }],
    ],
    ["session.status busy: the session is busy", [busy()], [{ type: "busy" }]],
    [
      "session.status idle: the session rests",
      [event("session.status", { status: { type: "idle" } })],
      [{ type: "rest" }],
    ],
    [
      "session.status retry: the session is busy, and retries",
      [assistant(), event("session.status", { status: { type: "retry", attempt: 2, message: "overloaded", next: 9 } })],
      [
        { type: "busy" },
        { type: "status", id: "retry:msg_a:2", name: "retry", value: { attempt: 2, message: "overloaded" } },
      ],
    ],
    ["session.idle: the session rests", [idle()], [{ type: "rest" }]],
    [
      "session.error: the turn has failed",
      [event("session.error", { error: { name: "APIError", data: { message: "no money" } } })],
      [{ type: "error", id: expect.any(String), message: "no money", item: null }],
    ],
    [
      "session.error after an abort: the turn was stopped",
      [event("session.error", { error: { name: "MessageAbortedError", data: { message: "Aborted" } } })],
      [{ type: "stopped" }],
    ],
    [
      "message.updated of a user, and its part: a prompt, once it is complete",
      [user(), part({ type: "text", text: "go" }, "msg_u"), busy()],
      [{ type: "prompt", message: "msg_u", parts: [{ type: "text", id: "prt_1", text: "go" }] }, { type: "busy" }],
    ],
    [
      "message.updated: an assistant message has started",
      [assistant()],
      [{ type: "message", message: "msg_a", prompt: "msg_u" }],
    ],
    [
      "message.updated with time.completed: the message ends when the next one begins, with its usage",
      [assistant(), completed(), assistant({}, "msg_b")],
      [
        { type: "message_done", message: "msg_a", error: null, usage: { tokens, cost: 0.5, model: "p/m" } },
        { type: "message", message: "msg_b", prompt: "msg_u" },
      ],
    ],
    [
      "message.part.updated of text: the whole text so far",
      [assistant(), part({ type: "text", text: "Hello" })],
      [{ type: "part", message: "msg_a", part: "prt_1", kind: "text", text: "Hello" }],
    ],
    [
      "message.part.delta: the new text",
      [
        assistant(),
        part({ type: "reasoning", text: "" }),
        event("message.part.delta", { messageID: "msg_a", partID: "prt_1", field: "text", delta: "Hm" }),
      ],
      [{ type: "delta", message: "msg_a", part: "prt_1", kind: "reasoning", text: "Hm" }],
    ],
    [
      "message.part.updated of a tool, pending: a call has started",
      [assistant(), tool({ status: "pending", raw: "" })],
      [{ type: "tool", message: "msg_a", call: "call_1", name: "bash", state: { status: "pending" } }],
    ],
    [
      "message.part.updated of a tool, running: the same call with its input and its output so far",
      [assistant(), tool({ status: "running", metadata: { output: "a" }, time: { start: 1 } })],
      [
        {
          type: "tool",
          message: "msg_a",
          call: "call_1",
          name: "bash",
          state: { status: "running", input: { command: "ls" }, output: "a" },
        },
      ],
    ],
    [
      "message.part.updated of a tool, error: its result, refused or failed",
      [assistant(), tool({ status: "error", error: "The user rejected permission to use this specific tool call." })],
      [
        {
          type: "tool",
          message: "msg_a",
          call: "call_1",
          name: "bash",
          state: { status: "error", input: { command: "ls" }, output: expect.any(String), rejected: true },
        },
      ],
    ],
    [
      "permission.asked: a permission, with the call that waits for it",
      [
        event("permission.asked", {
          id: "per_1",
          permission: "bash",
          patterns: ["ls"],
          metadata: { command: "ls" },
          always: [],
          tool: { messageID: "msg_a", callID: "call_1" },
        }),
      ],
      [{ type: "permission", ask: "per_1", title: "bash: ls", call: "call_1", detail: { command: "ls" } }],
    ],
    [
      "permission.replied: its end",
      [event("permission.replied", { requestID: "per_1", reply: "always" })],
      [{ type: "permission_over", ask: "per_1", outcome: "always" }],
    ],
    [
      "question.asked: all of its questions",
      [
        event("question.asked", {
          id: "que_1",
          questions: [
            { question: "A?", header: "a", options: [{ label: "x", description: "" }] },
            { question: "B?", header: "b", options: [], multiple: true },
          ],
        }),
      ],
      [
        {
          type: "question",
          ask: "que_1",
          call: null,
          questions: [
            { question: "A?", header: "a", options: [{ label: "x", description: null }], multiple: false },
            { question: "B?", header: "b", options: [], multiple: true },
          ],
        },
      ],
    ],
    [
      "question.replied: its answers",
      [event("question.replied", { requestID: "que_1", answers: [["x"], []] })],
      [{ type: "question_over", ask: "que_1", outcome: "answered", answers: [["x"], []] }],
    ],
    [
      "question.rejected: its end",
      [event("question.rejected", { requestID: "que_1" })],
      [{ type: "question_over", ask: "que_1", outcome: "reject", answers: null }],
    ],
    [
      "todo.updated, if no call has written it: a plan",
      [event("todo.updated", { todos: [{ content: "Look" }] })],
      [{ type: "plan", id: expect.stringMatching(/^plan:evt_/), value: [{ content: "Look" }] }],
    ],
    [
      "session.deleted: the session has ended",
      [event("session.deleted")],
      [{ type: "session_ended", reason: "deleted" }],
    ],
    [
      "message.removed: a status",
      [event("message.removed", { messageID: "msg_a" })],
      [{ type: "status", id: "removed:msg_a", name: "message_removed", value: { id: "msg_a" } }],
    ],
    [
      "message.part.removed: a status",
      [event("message.part.removed", { messageID: "msg_a", partID: "prt_1" })],
      [{ type: "status", id: "removed:prt_1", name: "part_removed", value: { id: "prt_1" } }],
    ],
    [
      "command.executed: a status",
      [event("command.executed", { messageID: "msg_u", name: "init", arguments: "now" })],
      [{ type: "status", id: "command:msg_u", name: "command", value: { name: "init", arguments: "now" } }],
    ],
  ])("%s", (_row, heard, said) => {
    expect(says(...heard)).toEqual(said);
  });
});

describe("a part", () => {
  const change = (path: string, kind: string, diff: string | null) => ({
    type: "file",
    message: "msg_a",
    file: { type: "file", path, change: kind, diff },
  });
  test.each<[string, object, unknown[]]>([
    ["step-start", {}, []],
    ["step-finish", { reason: "stop", tokens: {}, cost: 1 }, []],
    ["snapshot", { snapshot: "abc" }, [{ type: "status", id: "prt_1", name: "snapshot", value: { snapshot: "abc" } }]],
    ["patch", { hash: "h", files: ["/a", "/b"] }, [change("/a", "unknown", null), change("/b", "unknown", null)]],
    [
      "file",
      { mime: "image/png", filename: "a.png", url: "data:image/png;base64,AAAA" },
      [{ type: "status", id: "prt_1", name: "file", value: { mime: "image/png", name: "a.png", url: null } }],
    ],
    ["agent", { name: "plan" }, [{ type: "status", id: "prt_1", name: "agent", value: { agent: "plan" } }]],
    [
      "subtask",
      { agent: "general", description: "d", prompt: "p" },
      [{ type: "status", id: "prt_1", name: "subtask", value: { agent: "general", description: "d", prompt: "p" } }],
    ],
    [
      "retry",
      { attempt: 1, error: { data: { message: "no" } } },
      [{ type: "status", id: "prt_1", name: "retry", value: { attempt: 1, message: "no" } }],
    ],
    ["compaction", { auto: true }, [{ type: "status", id: "prt_1", name: "compaction", value: { auto: true } }]],
    [
      "text",
      { synthetic: true, text: "put in" },
      [{ type: "status", id: "prt_1", name: "synthetic_text", value: { text: "put in" } }],
    ],
    [
      "hologram",
      { depth: 3 },
      [{ type: "unparsed", reason: "unknown part hologram", raw: expect.stringContaining('"depth":3') }],
    ],
  ])("of type %s is handled", (type, more, said) => {
    expect(says(assistant(), part({ type, ...more }))).toEqual(said);
  });

  test.each<[string, object, unknown[]]>([
    ["one diff", { filediff: { file: "/a", patch: "@@" } }, [change("/a", "modified", "@@")]],
    [
      "several files",
      {
        files: [
          { filePath: "/a", type: "add", patch: "@@" },
          { filePath: "/b", type: "delete", diff: "--" },
        ],
      },
      [change("/a", "added", "@@"), change("/b", "deleted", "--")],
    ],
    ["several edits", { results: [{ filediff: { file: "/a", patch: "@@" } }] }, [change("/a", "modified", "@@")]],
    ["a new file", { filepath: "/a", exists: false }, [change("/a", "added", null)]],
    ["an existing file", { filepath: "/a", exists: true }, [change("/a", "modified", null)]],
    ["nothing", { truncated: false }, []],
  ])("of a tool that wrote %s publishes the changes before its result", (_what, metadata, changes) => {
    const said = says(assistant(), tool({ ...ran, metadata }));
    expect(said.slice(0, -1)).toEqual(changes);
    expect(said.at(-1)).toMatchObject({ type: "tool", state: { status: "completed", output: "ok" } });
  });

  test("of a tool publishes the attachments of its result", () => {
    const file = { id: "prt_f", mime: "image/png", url: "file:///a.png" };
    expect(says(assistant(), tool({ ...ran, metadata: {}, attachments: [file] })).at(-1)).toEqual({
      type: "status",
      id: "prt_f",
      name: "attachment",
      value: { call: "call_1", mime: "image/png", name: null, url: "file:///a.png" },
    });
  });

  test("of a message with a missed start is left to the stored rows", () => {
    expect(says(part({ type: "text", text: "late" }))).toEqual([]);
  });
});

describe("the end of a message", () => {
  const stop = { name: "MessageAbortedError", data: { message: "Aborted" } };

  test("waits for parts that arrive later", () => {
    const early = [completed(), busy(), part({ type: "text", text: "It is done." })];
    expect(says(...early)).toMatchObject([{ type: "part", text: "It is done." }]);
    expect(says(...early, idle())).toMatchObject([{ type: "message_done" }, { type: "rest" }]);
  });

  test("is published before the rest, even if it arrives later, as after an abort", () => {
    const stopped = [assistant(), event("session.error", { error: stop }), idle()];
    expect(says(...stopped)).toEqual([]);
    expect(says(...stopped, completed({ error: stop }))).toMatchObject([
      { type: "message_done", error: { kind: "aborted" } },
      { type: "rest" },
    ]);
  });

  test("is no longer awaited when the program continues", () => {
    expect(says(assistant(), idle(), busy(), completed())).toEqual([]);
  });
});

describe("a session below the lane's", () => {
  const below = ({ properties, ...event }: OpencodeEvent): OpencodeEvent => ({
    ...event,
    properties: { ...properties, sessionID: child },
  });
  const running = tool({ status: "running", metadata: { sessionId: child }, time: { start: 1 } }, { tool: "task" });

  test("is published under the lane's, with its own id and the call that it works for", () => {
    const one = translator();
    const told = [assistant(), running, below(assistant({}, "msg_c"))].map((heard) => one.translate(heard, 7));
    expect(told.at(-1)).toEqual([
      {
        at: 7,
        session: sessionID,
        nativeSession: child,
        type: "message",
        message: "msg_c",
        prompt: "msg_u",
        parent: "call:call_1",
      },
    ]);
  });

  test("does not change whether the lane's session is busy, idle or stopped", () => {
    const stop = event("session.error", { error: { name: "MessageAbortedError", data: {} } });
    for (const one of [idle(), busy(), stop, event("session.deleted"), event("session.created")]) {
      expect(says(below(one))).toEqual([]);
    }
  });
});

describe("an unknown or malformed event", () => {
  test("is published once, with its raw event, if it belongs to a session", () => {
    const one = translator();
    const strange = event("session.dreamt", { of: "sheep" });
    expect(one.translate(strange, 1)).toMatchObject([
      { type: "unparsed", reason: "unknown event session.dreamt", raw: expect.stringContaining("sheep") },
    ]);
    expect(one.translate(strange, 1)).toEqual([]);
    expect(one.translate({ type: "sheep.counted", properties: {} }, 1)).toEqual([]);
  });

  test.each([
    ["message.updated", {}],
    ["message.part.updated", { part: null }],
    ["session.status", {}],
    ["permission.asked", { id: "per_1" }],
    ["question.asked", { id: "que_1", questions: "none" }],
    ["message.part.delta", { field: "shape", delta: "o" }],
  ])("of type %s does no harm", (type, properties) => {
    expect(says(event(type, properties))).toMatchObject([{ type: "unparsed", raw: expect.stringContaining(type) }]);
  });
});

describe("the table of events", () => {
  const types = readFileSync(
    new URL("../../../../node_modules/@opencode-ai/sdk/dist/v2/gen/types.gen.d.ts", import.meta.url),
    "utf8",
  );
  const union = /export type Event = ([^;]+);/.exec(types)?.[1]?.split(" | ") ?? [];
  const known = union.map(
    (name) => new RegExp(`export type ${name} = {[^}]*?type: "([^"]+)"`).exec(types)?.[1] ?? name,
  );

  test("has every type that the pinned version of OpenCode knows", () => {
    expect(known.length).toBeGreaterThan(50);
    expect(known.filter((type) => eventHandling[type] === undefined)).toEqual([]);
  });

  test("has no other types than those, except two that are missing from its types", () => {
    const others = Object.keys(eventHandling).filter((type) => !known.includes(type));
    expect(others).toEqual(["sync", "server.heartbeat"]);
  });

  test("leaves out the newer form of events that also have an older form", () => {
    const newer = known.filter((type) => /^session\.next\.|\.v2\./.test(type));
    expect(newer.length).toBeGreaterThan(30);
    for (const type of [...newer, "sync"]) {
      expect(eventHandling[type]).toBe("duplicate");
      expect(says(event(type))).toEqual([]);
    }
  });

  test("marks nothing as translated that is not", () => {
    for (const [type, becomes] of Object.entries(eventHandling)) {
      if (becomes !== "translated") continue;
      const said = says(event(type, { info: {}, part: {}, status: {}, questions: [], patterns: [], field: "text" }));
      expect(said.filter((one) => one.type === "unparsed" && one.reason.includes("no translation"))).toEqual([]);
    }
  });
});
