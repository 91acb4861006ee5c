import { describe, expect, test } from "vitest";
import { isKept } from "../../../../test/support/core/events.ts";
import { ProjectedLane, settings } from "../../../../test/support/opencode/projected-lane.ts";
import { superseded } from "../../../core/delivery/reasons.ts";
import type { SignalBody } from "../../../core/turn/signal.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import { SessionProjection } from "./session-projection.ts";
import type { NativeEvent } from "./session-view.ts";

const prompt = (message = "p1"): SignalBody => ({
  type: "prompt",
  message,
  parts: [{ type: "text", id: "t", text: "go" }],
});
const says = (text: string, message = "a1"): SignalBody => ({
  type: "part",
  message,
  part: `${message}-1`,
  kind: "text",
  text,
});
const thinks = (text: string): SignalBody => ({ type: "delta", message: "a1", part: "r1", kind: "reasoning", text });
const pending: SignalBody = { type: "tool", message: "a1", call: "c1", name: "Read", state: { status: "pending" } };
const input = { file_path: "/project/README.md" };
const running: SignalBody = { ...pending, state: { status: "running", input } };
const ran: SignalBody = { ...pending, state: { status: "completed", input, output: "two lines" } };
const failed: SignalBody = { ...pending, state: { status: "error", input, output: "no such file", rejected: false } };
const tokens = { input: 90, output: 12, reasoning: 3, cacheRead: 30, cacheWrite: 1 };
const usage = { tokens, cost: 0.25, model: "claude/opus" };
const done = (message = "a1"): SignalBody => ({ type: "message_done", message, error: null, usage });
const rest: SignalBody = { type: "rest" };
const asked: SignalBody = {
  type: "permission",
  ask: "ask-1",
  title: "Bash: rm -r build",
  call: "c1",
  detail: { tool: "Bash" },
};
const questions = [{ header: null, question: "Which?", options: [{ label: "A", description: null }], multiple: false }];
const question: SignalBody = { type: "question", ask: "q-1", call: null, questions };

const turnUsage: SignalBody = { type: "turn_usage", ...usage };
const stopped = { kind: "aborted", message: "interrupted" } as const;
const isAborted = { role: "assistant", error: { name: "MessageAbortedError", data: { message: "Aborted" } } };

/** One line each. */
function lines(published: readonly NativeEvent[]): string[] {
  return published.map(({ type, properties }) => {
    const { status, info, part, error } = properties as Record<string, Record<string, unknown> | undefined>;
    const state = part?.state as { status: string } | undefined;
    const completed = (info?.time as { completed?: number } | undefined)?.completed;
    const words = [
      status?.type,
      info?.role,
      completed === undefined ? undefined : "completed",
      part?.type,
      state?.status,
    ];
    return [type, ...words, error?.name].filter((word) => word !== undefined).join(" ");
  });
}

function partOf(published: NativeEvent | undefined): { id: string; messageID: string } {
  return (published?.properties.part ?? {}) as { id: string; messageID: string };
}

function answersIn({ projection }: ProjectedLane) {
  return projection.messages().flatMap(({ info }) => (info.role === "assistant" ? [info] : []));
}

/** A lane whose agent is working on the message `m1`. */
function working(...said: SignalBody[]): ProjectedLane {
  const lane = new ProjectedLane();
  lane.admits("m1");
  lane.sends("m1", "p1");
  lane.says(prompt(), { type: "busy" }, ...said);
  return lane;
}

/** How each universal event is translated. */
describe("the translation of", () => {
  test("ItemStarted(Message): message.updated for the first one, and the start of a step", () => {
    expect(lines(working().says(says("Hello")))).toEqual([
      "message.part.updated step-start",
      "message.part.updated text",
      "message.part.delta",
    ]);
    const lane = working(says("Hello"), done());
    expect(lines(lane.says(says("More", "a2")).slice(0, 2))).toEqual([
      "message.updated assistant",
      "message.part.updated step-start",
    ]);
  });

  test("ItemDelta: the part once, then message.part.delta with the same id, for text and for reasoning", () => {
    const lane = working(thinks("Hm"));
    const [delta] = lane.says(thinks("mm"));
    const [, part] = lane.published.filter(({ type }) => type === "message.part.updated").slice(-2);
    expect(part?.properties.part).toMatchObject({ type: "reasoning" });
    const { id, messageID } = partOf(part);
    expect(delta).toEqual({
      type: "message.part.delta",
      properties: { sessionID: "ses_chat", messageID, partID: id, field: "text", delta: "mm" },
    });
  });

  test("ItemCompleted(Message): its complete parts, its usage, message.updated, and no idle", () => {
    const published = working(says("Hello")).says(done());
    expect(lines(published)).toEqual([
      "message.part.updated text",
      "message.part.updated step-finish",
      "message.updated assistant completed",
    ]);
    expect(published.at(-1)?.properties.info).toMatchObject({
      finish: "stop",
      cost: 0.25,
      modelID: "opus",
      tokens: { input: 90, output: 12, reasoning: 3, cache: { read: 30, write: 1 } },
    });
  });

  test("ItemStarted(ToolCall), ItemCompleted(ToolCall): one tool part, pending, then running with its input", () => {
    const lane = working();
    expect(lines(lane.says(pending)).slice(1)).toEqual(["message.part.updated tool pending"]);
    const published = lane.says(running);
    expect(lines(published)).toEqual(["message.part.updated tool running"]);
    expect(published[0]?.properties.part).toMatchObject({
      tool: "read",
      state: { input: { filePath: "/project/README.md" } },
    });
  });

  test("ItemStarted(ToolResult): nothing; the tool is running", () => {
    const lane = working(running);
    const before = lane.published.length;
    lane.says({ ...pending, state: { status: "running", input, output: "two" } });
    expect(lines(lane.published.slice(before))).toEqual(["message.part.updated tool running"]);
    expect(lane.published.at(-1)?.properties.part).toMatchObject({ state: { metadata: { output: "two" } } });
  });

  test.each([
    [ran, "completed", { output: "two lines" }],
    [failed, "error", { error: "no such file" }],
  ])("ItemCompleted(ToolResult): the same part, completed or error", (said, status, how) => {
    const lane = working(running);
    const { id } = partOf(lane.published.at(-1));
    const published = lane.says(said);
    expect(lines(published)).toEqual([`message.part.updated tool ${status}`]);
    expect(published[0]?.properties.part).toMatchObject({ id, state: { status, ...how } });
  });

  test("a file change: the diff with its call, session.diff, and a patch before the message ends", () => {
    const file = {
      type: "file",
      path: "/project/README.md",
      change: "modified",
      diff: "--- a\n+++ b\n-x\n+y\n+z",
    } as const;
    const published = working(running, ran).says({ type: "file", message: "a1", file }, done());
    expect(lines(published)).toEqual([
      "file.edited",
      "message.part.updated tool completed",
      "session.diff",
      "message.part.updated step-finish",
      "message.updated assistant",
      "message.part.updated patch",
      "message.updated assistant completed",
    ]);
    expect(published[2]?.properties.diff).toEqual([
      { file: file.path, patch: file.diff, additions: 2, deletions: 1, status: "modified" },
    ]);
    expect(published[1]?.properties.part).toMatchObject({ state: { metadata: { diff: file.diff } } });
  });

  test("a call that writes a file: completed once, with its diff, or soon if nothing was changed", () => {
    const edit = { file_path: "/project/README.md", old_string: "x", new_string: "y" };
    const call = { type: "tool", message: "a1", call: "c2", name: "Edit" } as const;
    const writing: SignalBody = { ...call, state: { status: "running", input: edit } };
    const written: SignalBody = { ...call, state: { status: "completed", input: edit, output: "updated" } };
    const file = { type: "file", path: "/project/README.md", change: "modified", diff: "-x\n+y" } as const;
    const lane = working(writing);
    expect(lane.says(written)).toEqual([]);
    const published = lane.says({ type: "file", message: "a1", file }, done());
    const calls = published.filter(
      ({ properties }) => (properties.part as { type?: string } | undefined)?.type === "tool",
    );
    expect(calls).toMatchObject([
      { properties: { part: { state: { status: "completed", metadata: { diff: file.diff } } } } },
    ]);
    expect(lines(working(writing, written).says(done()))[0]).toBe("message.part.updated tool completed");
  });

  test("SessionEnded after a turn: nothing, and no second idle", () => {
    const lane = working(says("Hello"), done(), rest);
    expect(lines(lane.ends("m1", "responded"))).toEqual(["session.status idle", "session.idle"]);
    expect(lane.says({ type: "session_ended", reason: "gone" })).toEqual([]);
  });

  test("PermissionRequested, PermissionResolved: permission.asked with its call, permission.replied", () => {
    const lane = working(running);
    const [published] = lane.says(asked);
    expect(published).toMatchObject({
      type: "permission.asked",
      properties: {
        id: "per_ask-1",
        sessionID: "ses_chat",
        permission: "read",
        patterns: ["rm -r build"],
        tool: { callID: "c1" },
      },
    });
    expect(lane.says({ type: "permission_over", ask: "ask-1", outcome: "once" })).toEqual([
      { type: "permission.replied", properties: { sessionID: "ses_chat", requestID: "per_ask-1", reply: "once" } },
    ]);
  });

  test("a permission to change a file: the file and the change", () => {
    const edit = { file_path: "/project/README.md", old_string: "x", new_string: "y" };
    const editing: SignalBody = {
      type: "tool",
      message: "a1",
      call: "c1",
      name: "Edit",
      state: { status: "running", input: edit },
    };
    const [published] = working(editing).says({ ...asked, title: "Edit: /project/README.md" });
    expect(published?.properties).toMatchObject({
      permission: "edit",
      metadata: { filepath: edit.file_path, diff: expect.stringContaining("\n-x\n+y\n") },
    });
  });

  test.each([
    ["answered", [["A"]], "question.replied"],
    ["reject", null, "question.rejected"],
  ] as const)(
    "QuestionRequested, QuestionResolved (%s): question.asked with all of its questions, %s",
    (outcome, answers, type) => {
      const lane = working(says("One moment."));
      expect(lane.says(question)).toMatchObject([
        { type: "question.asked", properties: { questions: [{ question: "Which?" }] } },
      ]);
      expect(lane.says({ type: "question_over", ask: "q-1", outcome, answers })).toMatchObject([{ type }]);
    },
  );

  test("Error: in the message when the turn ends, and session.error when the message has failed", () => {
    const lane = working();
    expect(lane.says({ type: "error", id: "e", message: "overloaded", item: null, status: 529 })).toEqual([]);
    const published = lane.says(rest);
    expect(lines(published)).toEqual(["message.updated assistant completed"]);
    const error = { name: "APIError", data: { message: "overloaded", statusCode: 529, isRetryable: true } };
    expect(published[0]?.properties.info).toMatchObject({ error });
    const end = lane.ends("m1", "failed_terminal", "provider_overloaded");
    expect(lines(end)).toEqual(["session.error APIError", "session.status idle", "session.idle"]);
    expect(end[0]?.properties.error).toEqual(error);
  });

  test("Error in a turn without a Waybill message: session.error when the turn ends", () => {
    const lane = new ProjectedLane();
    lane.says(prompt(), { type: "busy" }, { type: "error", id: "e", message: "no", item: null });
    expect(lines(lane.says(rest))).toEqual([
      "session.error UnknownError",
      "message.updated assistant completed",
      "session.status idle",
      "session.idle",
    ]);
  });

  test("Error that the agent recovers from: nothing", () => {
    const lane = working();
    lane.says({ type: "error", id: "e", message: "again", item: null }, says("Well."), done(), rest);
    lane.ends("m1", "responded");
    expect(lines(lane.published).filter((line) => line.startsWith("session.error"))).toEqual([]);
    expect(lane.projection.messages().some(({ info }) => "error" in info)).toBe(false);
  });

  test("a plan: todo.updated, whatever the program calls its fields", () => {
    const value = [
      { content: "one", status: "completed", priority: "high" },
      { subject: "two", status: "pending" },
    ];
    expect(working().says({ type: "plan", id: "p", value })).toContainEqual({
      type: "todo.updated",
      properties: {
        sessionID: "ses_chat",
        todos: [
          { content: "one", status: "completed", priority: "high" },
          { content: "two", status: "pending", priority: "medium" },
        ],
      },
    });
  });
});

describe("a message", () => {
  test("is shown and makes the session busy when it is admitted, and not again with its prompt", () => {
    const lane = new ProjectedLane();
    expect(lines(lane.admits("m1", "hello"))).toEqual([
      "message.updated user",
      "message.part.updated text",
      "session.status busy",
    ]);
    expect(lane.sends("m1", "p1")).toEqual([]);
    expect(lines(lane.says(prompt()))).toEqual(["message.updated assistant"]);
    const [user, assistant] = lane.projection.messages();
    expect(user?.parts).toMatchObject([{ type: "text", text: "hello" }]);
    expect(assistant?.info).toMatchObject({ parentID: user?.info.id });
  });

  test("keeps its sender's id, or gets one derived from its time", () => {
    const lane = new ProjectedLane();
    lane.admits("msg_mine");
    lane.admits("another");
    const [mine, other] = lane.projection.messages().map(({ info }) => info.id);
    expect(mine).toBe("msg_mine");
    expect(other).toMatch(/^msg_[0-9a-f]{12}[0-9A-Za-z]{14}$/);
  });

  test("that waits behind a turn is shown immediately, and keeps the session busy until it is over", () => {
    const lane = working(says("Working."));
    expect(lines(lane.admits("m2"))).toEqual(["message.updated user", "message.part.updated text"]);
    expect(lines(lane.says(done(), rest)).filter((line) => line.startsWith("session."))).toEqual([]);
    lane.ends("m1", "responded");
    lane.sends("m2", "p2");
    lane.says(prompt("p2"), says("Done.", "a2"), done("a2"));
    expect(lane.says(rest)).toEqual([]);
    expect(lines(lane.ends("m2", "responded"))).toEqual(["session.status idle", "session.idle"]);
    const statuses = lines(lane.published).filter((line) => /^session\.(status|idle)/.test(line));
    expect(statuses).toEqual(["session.status busy", "session.status idle", "session.idle"]);
    const rows = lane.projection.messages();
    const [, second] = rows.filter(({ info }) => info.role === "user");
    expect(rows.at(-1)?.info).toMatchObject({ parentID: second?.info.id });
  });

  test("that failed and is retried by a person makes the session busy again, and is not shown twice", () => {
    const lane = new ProjectedLane();
    lane.admits("m1");
    lane.sends("m1", "p1");
    lane.ends("m1", "failed_terminal", "no_response");
    expect(lane.projection.isBusy).toBe(false);
    expect(lines(lane.isRetried("m1"))).toEqual(["session.status busy"]);
    lane.sends("m1", "p2", 2);
    lane.says(prompt("p2"), says("Well."), done(), rest);
    expect(lines(lane.ends("m1", "responded"))).toEqual(["session.status idle", "session.idle"]);
    // The second is the prompt that was sent for the retry.
    expect(lane.projection.messages().map(({ info }) => info.role)).toEqual(["user", "user", "assistant"]);
  });

  test("that is retried and fails again without a turn leaves the session idle, with an error", () => {
    const lane = new ProjectedLane();
    lane.admits("m1");
    lane.ends("m1", "failed_terminal", "no_response");
    lane.isRetried("m1");
    expect(lines(lane.ends("m1", "failed_terminal", "no_response"))).toEqual([
      "session.error UnknownError",
      "session.status idle",
      "session.idle",
    ]);
  });

  test("that is open again stays open when its earlier end is noted late, as after a crash", () => {
    const lane = new ProjectedLane();
    lane.admits("m1");
    const before = new ProjectedLane();
    before.admits("m1");
    before.ends("m1", "failed_terminal");
    lane.isRetried("m1");
    const late = before.log.at(-1) as UniversalEvent;
    expect(lane.projection.take(late)).toEqual([]);
    expect(lane.projection.isBusy).toBe(true);
  });

  test("whose prompt is sent again without a note of the retry makes the session busy when its turn starts", () => {
    const lane = new ProjectedLane();
    lane.admits("m1");
    lane.sends("m1", "p1");
    lane.ends("m1", "failed_terminal", "no_response");
    lane.sends("m1", "p2", 2);
    expect(lane.projection.isBusy).toBe(false);
    expect(lines(lane.says(prompt("p2")))).toContain("session.status busy");
    expect(lines(lane.says(says("Well."), done(), rest)).slice(-2)).toEqual(["session.status idle", "session.idle"]);
  });

  test("whose admission was not noted is shown as it was sent", () => {
    const lane = new ProjectedLane();
    lane.sends("m1", "p1");
    expect(lines(lane.says(prompt("p1"))).slice(0, 3)).toEqual([
      "message.updated user",
      "message.part.updated text",
      "session.status busy",
    ]);
  });

  test("that is aborted while it waits is answered by an aborted message, and the session becomes idle", () => {
    const lane = new ProjectedLane();
    lane.admits("m1");
    expect(lines(lane.ends("m1", "cancelled", "stopped_by_person"))).toEqual([
      "session.error MessageAbortedError",
      "message.updated assistant completed",
      "session.status idle",
      "session.idle",
    ]);
    const [, answer] = lane.projection.messages();
    expect(answer?.info).toMatchObject({ parentID: lane.projection.messages()[0]?.info.id, ...isAborted });
  });

  test("that is aborted behind a running turn is answered by an aborted message, and the turn continues", () => {
    const lane = working(says("One,"));
    lane.admits("m2");
    expect(lines(lane.ends("m2", "cancelled", "stopped_by_person"))).toEqual([
      "session.error MessageAbortedError",
      "message.updated assistant completed",
    ]);
    const published = [...lane.says(done(), rest), ...lane.ends("m1", "responded")];
    expect(lines(published).filter((line) => line.includes("Error"))).toEqual([]);
    expect(lines(published).slice(-2)).toEqual(["session.status idle", "session.idle"]);
  });

  test("that is aborted before its turn begins is shown once, with one busy, one aborted and one idle", () => {
    const lane = new ProjectedLane();
    lane.admits("m1");
    lane.sends("m1", "p1");
    lane.says(prompt(), { type: "busy" }, { type: "stopped" }, rest);
    lane.ends("m1", "cancelled", "stopped_by_person");
    const all = lines(lane.published);
    for (const line of ["message.updated user", "session.status busy", "session.status idle", "session.idle"]) {
      expect(all.filter((one) => one === line)).toHaveLength(1);
    }
    expect(answersIn(lane)).toMatchObject([isAborted]);
  });

  test.each([
    ["p2", "Please answer."],
    [null, "[waybill message m1 from user]\n\nPlease answer."],
  ])("that gets a second prompt (%j) shows it as Waybill's, and its turn answers that prompt", (id, text) => {
    const lane = new ProjectedLane();
    lane.admits("m1");
    lane.sends("m1", id === null ? null : "p1");
    lane.says(prompt(), { type: "busy" }, says("Hm."), done(), rest);
    lane.sends("m1", id, 2);
    const published = lane.says({ type: "prompt", message: "p2", parts: [{ type: "text", id: "t", text }] });
    expect(lines(published)).toEqual([
      "message.updated user",
      "message.part.updated text",
      "message.updated assistant",
    ]);
    const rows = lane.projection.messages();
    expect(rows.at(-2)?.parts).toMatchObject([{ text: "Please answer.", synthetic: true }]);
    expect(rows.at(-1)?.info).toMatchObject({ parentID: rows.at(-2)?.info.id });
    const ids = rows.map(({ info }) => info.id);
    expect(ids).toEqual([...ids].sort());
  });

  test("on a runtime that accepts no ids is matched with the prompt of its turn", () => {
    const lane = new ProjectedLane();
    lane.admits("m1");
    lane.sends("m1", null);
    lane.says(prompt("entry-7"), says("Yes."), done(), rest);
    expect(lane.projection.messages().map(({ info }) => info.role)).toEqual(["user", "assistant"]);
  });

  test("that was typed into the program itself is also shown", () => {
    const lane = new ProjectedLane();
    expect(lines(lane.says(prompt("msg_typed")))).toEqual([
      "message.updated user",
      "message.part.updated text",
      "session.status busy",
      "message.updated assistant",
    ]);
  });
});

describe("a turn that", () => {
  test("is aborted publishes the abort, then ends its open parts, then becomes idle", () => {
    const lane = working(says("Slowly"), running, { type: "stopped" });
    expect(lines(lane.says(rest))).toEqual([
      "session.error MessageAbortedError",
      "message.part.updated tool error",
      "message.updated assistant completed",
    ]);
    expect(lines(lane.ends("m1", "cancelled", "stopped"))).toEqual(["session.status idle", "session.idle"]);
  });

  test("is aborted while the model thinks ends before the messages that arrived since", () => {
    const lane = working(says("Slowly"), running, ran, done());
    lane.admits("m2");
    lane.says(says("", "a2"), { type: "message_done", message: "a2", error: stopped, usage: null }, rest);
    const roles = lane.projection.messages().map(({ info }) => ("error" in info ? "stopped" : info.role));
    expect(roles).toEqual(["user", "assistant", "stopped", "user"]);
  });

  test("is aborted with an open ask leaves one aborted message, and the ask expires", () => {
    const lane = working(says("May I?"), running, asked, { type: "stopped" });
    lane.says(failed, { type: "message_done", message: "a1", error: stopped, usage: null });
    const over: SignalBody = { type: "permission_over", ask: "ask-1", outcome: "reject" };
    const published = lines([
      ...lane.says(over, turnUsage, rest),
      ...lane.ends("m1", "cancelled", "stopped_by_person"),
    ]);
    expect(published.slice(-5)).toEqual([
      "permission.replied",
      "session.error MessageAbortedError",
      "message.updated assistant completed",
      "session.status idle",
      "session.idle",
    ]);
    expect(answersIn(lane)).toMatchObject([isAborted]);
    expect(lane.log.find(({ type }) => type === "permission.resolved")?.data).toMatchObject({ outcome: "expired" });
  });

  test("is aborted in a tool leaves one aborted message, although the message of the call was complete", () => {
    const lane = working(says("I look."), running, done(), { type: "stopped" }, failed, turnUsage);
    lane.says({ type: "rest", reason: "aborted" });
    expect(answersIn(lane)).toMatchObject([isAborted]);
  });

  test("is refused ends without an error", () => {
    const lane = working(running, asked, { type: "permission_over", ask: "ask-1", outcome: "reject" });
    const refused: SignalBody = { ...pending, state: { status: "error", input, output: "no", rejected: true } };
    expect(lines(lane.says(refused, done(), rest))).toEqual([
      "message.part.updated tool error",
      "message.part.updated step-finish",
      "message.updated assistant completed",
    ]);
    expect(lines(lane.ends("m1", "failed_terminal", "ask_rejected"))).toEqual(["session.status idle", "session.idle"]);
  });

  test("dies with its program leaves an error in its message, and the message stays open", () => {
    const published = working(says("I beg")).says({ type: "died" });
    expect(lines(published)).toEqual(["message.part.updated text", "message.updated assistant completed"]);
    expect(published.at(-1)?.properties.info).toMatchObject({ error: { name: "UnknownError" } });
  });

  test("dies with its program during an ask reports that the ask has expired", () => {
    const published = lines(working(running, asked).says({ type: "died" }));
    expect(published).toContain("permission.replied");
    expect(published).toContain("tui.toast.show");
    expect(lines(working(running, asked, { type: "stopped" }).says(rest))).not.toContain("tui.toast.show");
  });

  test("fails and is followed by another attempt shows a retry with its reason, then busy, and one idle", () => {
    const lane = working({ type: "error", id: "e", message: "overloaded", item: null, status: 529 }, rest);
    const [scheduled] = lane.schedules("m1", 1, 5000, "provider_overloaded");
    expect(scheduled?.properties.status).toEqual({ type: "retry", attempt: 1, message: "overloaded", next: 5000 });
    expect(lines(lane.sends("m1", "p2", 2))).toEqual(["session.status busy"]);
    lane.says(prompt("p2"), { type: "busy" }, says("There.", "a2"), done("a2"), rest);
    lane.ends("m1", "responded");
    expect(lines(lane.published).filter((line) => line.startsWith("session."))).toEqual([
      "session.status busy",
      "session.status retry",
      "session.status busy",
      "session.status idle",
      "session.idle",
    ]);
  });

  test("ends empty shows why its own message is retried, and no other reason", () => {
    const lane = working(rest);
    const [scheduled] = lane.schedules("m1", 1, 5000, "no_response");
    const message = "The message is being retried (no_response).";
    expect(scheduled?.properties.status).toEqual({ type: "retry", attempt: 1, message, next: 5000 });
    lane.admits("m2");
    expect(lane.ends("m2", "cancelled").filter(({ type }) => type === "session.status")).toEqual([]);
    expect(lane.projection.sessions[0]?.status).toMatchObject({ type: "retry" });
  });

  test("is not retried after all leaves the session busy with the waiting messages", () => {
    const lane = working(rest);
    lane.schedules("m1", 1, 5000, "no_response");
    lane.admits("m2");
    expect(lines(lane.ends("m1", "failed_terminal", superseded))).toEqual(["tui.toast.show", "session.status busy"]);
  });

  test("is followed immediately by another that the program already has is not idle in between", () => {
    const lane = working(says("One."), done());
    const published = [
      ...lane.says({ type: "rest", queued: 1 }),
      ...lane.ends("m1", "responded"),
      ...lane.says(says("Two.", "a2"), done("a2"), rest),
    ];
    expect(lines(published).filter((line) => line.startsWith("session."))).toEqual([
      "session.status idle",
      "session.idle",
    ]);
  });

  test("retries its model shows the retry, then busy when work resumes", () => {
    const lane = working();
    const retry: SignalBody = { type: "status", id: "r1", name: "retry", value: { attempt: 2, message: "overloaded" } };
    expect(lane.says(retry)[0]?.properties.status).toMatchObject({ type: "retry", attempt: 2, message: "overloaded" });
    expect(lines(lane.says(says("There.")))[0]).toBe("session.status busy");
  });
});

test("a subagent's work is shown in a session of its own, which its call names", () => {
  const task: SignalBody = {
    type: "tool",
    message: "a1",
    call: "t1",
    name: "Task",
    state: { status: "running", input: {} },
  };
  const lane = working(task);
  const inner = { nativeSession: "agent-1", parent: "call:t1" } as const;
  lane.says(
    { type: "message", message: "s1", prompt: null, ...inner },
    { ...says("Inner.", "s1"), nativeSession: "agent-1" },
  );
  const [child] = lane.projection.children;
  expect(child).toMatch(/^ses_chat\.[0-9A-Za-z]+$/);
  expect(lane.projection.messages(child)).toMatchObject([{ info: { sessionID: child, role: "assistant" } }]);
  const call = lane.projection
    .messages()
    .at(-1)
    ?.parts.find(({ type }) => type === "tool");
  expect(call).toMatchObject({ state: { metadata: { sessionId: child } } });
});

test("a reader of kept events sees the same messages, parts and ids as a live client", () => {
  const lane = working(thinks("Hm."), says("I read it."), running, ran, done(), says("Done.", "a2"), done("a2"), rest);
  lane.ends("m1", "responded");
  const later = new SessionProjection(settings);
  for (const event of lane.log.filter(isKept)) later.take(event);
  const ids = (projection: SessionProjection) =>
    projection.messages().map(({ info, parts }) => [info.id, parts.map(({ id, type }) => [id, type])]);
  expect(ids(later)).toEqual(ids(lane.projection));
  for (const { parts } of later.messages()) expect(parts.map(({ id }) => id)).toEqual(parts.map(({ id }) => id).sort());
});

test("a lane is idle while a turn is being copied into it", () => {
  const lane = working(says("Working."));
  const copy = new SessionProjection(settings, { following: true });
  for (const event of lane.log) {
    copy.take({ ...event, copied: true });
    expect(copy.sessions[0]?.status).toEqual({ type: "idle" });
  }
});

test("a copied history is listed, but not published to live clients as if it happened now", () => {
  const lane = new ProjectedLane();
  lane.admits("msg_1");
  lane.sends("msg_1", "p1");
  lane.says(prompt(), says("Done."), done(), rest);
  lane.ends("msg_1", "responded");
  const copies = lane.log.filter(isKept).map((event) => ({ ...event, copied: true }));
  const [shown, followed] = [new SessionProjection(settings), new SessionProjection(settings, { following: true })];
  expect(copies.flatMap((event) => shown.take(event))).not.toEqual([]);
  expect(shown.messages()).toEqual(lane.projection.messages());
  expect(copies.flatMap((event) => followed.take(event))).toEqual([]);
  expect(followed.isBusy).toBe(false);
});
