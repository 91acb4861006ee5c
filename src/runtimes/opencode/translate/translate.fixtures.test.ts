/**
 * Runs recorded streams of the real OpenCode through the translation and the turn tracker. See
 * scripts/record-opencode.mjs.
 */
import { describe, expect, test } from "vitest";
import { fixture, fixtureNames, lines, session, Watcher } from "../../../../test/support/opencode/opencode-fixture.ts";
import { universalEventSchema } from "../../../../test/support/rules/event-schema.ts";
import type { Draft } from "../../../core/turn/universal-event.ts";

const recorded: readonly [name: string, what: string, told: string][] = [
  [
    "abort-in-text",
    "a stop while the agent is writing",
    `
      session.started
      turn.started msg_1
      prompt 'go'
      message msg_2 begins
      message msg_2 ends failed 'This is said so slowly that somebody stops'
      turn.ended aborted
    `,
  ],
  [
    "abort-in-tool",
    "a stop while a tool runs",
    `
      session.started
      turn.started msg_1
      prompt 'go'
      message msg_2 begins
      permission.requested bash: echo begun, sleep 20
      tool_call bash
      permission.resolved once
      tool_result bash
      message msg_2 ends failed
      turn.ended aborted
    `,
  ],
  [
    "billing-error",
    "a provider that demands payment",
    `
      session.started
      turn.started msg_1
      prompt 'go'
      error Insufficient balance
      turn.ended error
    `,
  ],
  [
    "compaction",
    "a session that is full mid-turn",
    `
      session.started
      turn.started msg_1
      prompt 'go'
      message msg_2 begins
      tool_call read
      tool_result read
      message msg_2 ends
      status compaction
      message msg_4 begins
      message msg_4 ends 'A scripted summary: there is nothing to add.'
      status synthetic_text
      message msg_6 begins
      message msg_6 ends 'Went on.'
      turn.ended completed
    `,
  ],
  [
    "files-in-prompt",
    "an image and a file in the prompt",
    `
      session.started
      turn.started msg_1
      prompt 'go', image dot.png, json synthetic, json synthetic, json file
      message msg_2 begins
      message msg_2 ends 'I see a dot.'
      turn.ended completed
    `,
  ],
  [
    "new-file",
    "a new file",
    `
      session.started
      turn.started msg_1
      prompt 'go'
      message msg_2 begins
      tool_call write
      tool_result write
      file_change /project/notes.txt added
      message msg_2 ends
      message msg_3 begins
      message msg_3 ends 'Written.'
      turn.ended completed
    `,
  ],
  [
    "permission-allowed",
    "a permission that is granted",
    `
      session.started
      turn.started msg_1
      prompt 'go'
      message msg_2 begins
      tool_call bash
      permission.requested bash: echo hello
      permission.resolved once
      tool_result bash
      message msg_2 ends
      message msg_3 begins
      message msg_3 ends 'It ran.'
      turn.ended completed
    `,
  ],
  [
    "permission-rejected",
    "a permission that is refused",
    `
      session.started
      turn.started msg_1
      prompt 'go'
      message msg_2 begins
      permission.requested bash: echo hello
      tool_call bash
      permission.resolved reject
      tool_result bash failed
      message msg_2 ends
      turn.ended aborted
    `,
  ],
  [
    "prompt-in-mid-turn",
    "a prompt that arrives mid-turn",
    `
      session.started
      turn.started msg_1
      prompt 'one'
      message msg_2 begins
      permission.requested bash: sleep 1
      tool_call bash
      permission.resolved once
      tool_result bash
      message msg_2 ends 'I look.'
      prompt 'two'
      message msg_4 begins
      message msg_4 ends 'That was the second.'
      turn.ended completed
    `,
  ],
  [
    "question-answered",
    "several questions, answered",
    `
      session.started
      turn.started msg_1
      prompt 'go'
      message msg_2 begins
      question.requested Which colour? Which sizes?
      tool_call question
      question.resolved answered blue / small
      tool_result question
      message msg_2 ends
      message msg_3 begins
      message msg_3 ends 'Thank you.'
      turn.ended completed
    `,
  ],
  [
    "question-rejected",
    "several questions, refused",
    `
      session.started
      turn.started msg_1
      prompt 'go'
      message msg_2 begins
      question.requested Which colour? Which sizes?
      tool_call question
      question.resolved reject
      tool_result question failed
      message msg_2 ends
      turn.ended aborted
    `,
  ],
  [
    "read-and-edit",
    "a file is read, then edited, then the final text",
    `
      session.started
      turn.started msg_1
      prompt 'go'
      message msg_2 begins
      tool_call read
      tool_result read
      message msg_2 ends 'I read it first.'
      message msg_3 begins
      tool_call edit
      tool_result edit
      file_change /project/README.md modified with diff
      message msg_3 ends 'Now I edit it.'
      message msg_4 begins
      message msg_4 ends 'Done: one line more.'
      turn.ended completed
    `,
  ],
  [
    "read-and-edit-without-git",
    "the same without git, where there is no patch",
    `
      session.started
      turn.started msg_1
      prompt 'go'
      message msg_2 begins
      tool_call read
      tool_result read
      message msg_2 ends 'I read it first.'
      message msg_3 begins
      tool_call edit
      tool_result edit
      file_change /project/README.md modified with diff
      message msg_3 ends 'Now I edit it.'
      message msg_4 begins
      message msg_4 ends 'Done: one line more.'
      turn.ended completed
    `,
  ],
  [
    "reasoning",
    "reasoning before text",
    `
      session.started
      turn.started msg_1
      prompt 'go'
      message msg_2 begins
      message msg_2 ends thought 'Let me think about it.', 'I have thought.'
      turn.ended completed
    `,
  ],
  [
    "retried-error",
    "a provider that fails once",
    `
      session.started
      turn.started msg_1
      prompt 'go'
      status retry
      message msg_2 begins
      message msg_2 ends 'It went well the second time.'
      turn.ended completed
    `,
  ],
  [
    "subtask",
    "a subagent",
    `
      session.started
      turn.started msg_1
      prompt 'go'
      message msg_2 begins
      tool_call task
        prompt 'sub work'
        message msg_4 begins
        tool_call read
        tool_result read
        message msg_4 ends
        message msg_5 begins
        message msg_5 ends 'I counted 3.'
      tool_result task
      message msg_2 ends
      message msg_6 begins
      message msg_6 ends 'Counted below: 3.'
      turn.ended completed
    `,
  ],
  [
    "ten-tools",
    "ten rounds of a tool",
    `
      session.started
      turn.started msg_1
      prompt 'go'
      message msg_2 begins
      tool_call read
      tool_result read
      message msg_2 ends
      message msg_3 begins
      tool_call read
      tool_result read
      message msg_3 ends
      message msg_4 begins
      tool_call read
      tool_result read
      message msg_4 ends
      message msg_5 begins
      tool_call read
      tool_result read
      message msg_5 ends
      message msg_6 begins
      tool_call read
      tool_result read
      message msg_6 ends
      message msg_7 begins
      tool_call read
      tool_result read
      message msg_7 ends
      message msg_8 begins
      tool_call read
      tool_result read
      message msg_8 ends
      message msg_9 begins
      tool_call read
      tool_result read
      message msg_9 ends
      message msg_10 begins
      tool_call read
      tool_result read
      message msg_10 ends
      message msg_11 begins
      tool_call read
      tool_result read
      message msg_11 ends
      message msg_12 begins
      message msg_12 ends 'Ten times.'
      turn.ended completed
    `,
  ],
  [
    "todo-list",
    "a plan",
    `
      session.started
      turn.started msg_1
      prompt 'go'
      message msg_2 begins
      tool_call todowrite
      tool_result todowrite
      plan
      message msg_2 ends
      message msg_3 begins
      message msg_3 ends 'Planned.'
      turn.ended completed
    `,
  ],
  [
    "tool-error",
    "a tool that fails, and an agent that continues",
    `
      session.started
      turn.started msg_1
      prompt 'go'
      message msg_2 begins
      tool_call read
      tool_result read failed
      message msg_2 ends
      message msg_3 begins
      message msg_3 ends 'Not there.'
      turn.ended completed
    `,
  ],
  [
    "two-turns",
    "two turns in a row",
    `
      session.started
      turn.started msg_1
      prompt 'one'
      message msg_2 begins
      message msg_2 ends 'I say one.'
      turn.ended completed
      turn.started msg_3
      prompt 'two'
      message msg_4 begins
      message msg_4 ends 'I say two.'
      turn.ended completed
    `,
  ],
  [
    "unknown-agent",
    "an agent that does not exist",
    `
      session.started
      error Agent not found: "nobody". Available agents: build, explore, general, plan
    `,
  ],
  [
    "unknown-model",
    "a model that does not exist",
    `
      session.started
      turn.started msg_1
      prompt 'go'
      error Model not found: scripted/other.
      turn.ended error
    `,
  ],
];

test("every recorded stream is in the table", () => {
  expect(recorded.map(([name]) => name).sort()).toEqual(fixtureNames);
});

describe.each(recorded)("%s: %s", (name, _what, told) => {
  const one = fixture(name);
  const heard = () => new Watcher(one).hear(one.events);

  test("gives these events in this order", () => {
    expect(lines(heard().kept)).toEqual(told.trim().split(/\n {6}/));
  });

  test("has one end for each turn, and leaves nothing open", () => {
    const { kept, tracker } = heard();
    const count = (type: string) => kept.filter((event) => event.type === type).length;
    expect(count("turn.ended")).toBe(count("turn.started"));
    expect(count("item.completed")).toBe(count("item.started"));
    expect(count("unparsed")).toBe(0);
    expect(tracker.inTurn).toBe(false);
    for (const event of kept) universalEventSchema.parse({ id: "e", seq: 1, lane: "lane", ...event });
  });

  test("gives the same events when every event comes twice", () => {
    const twice = new Watcher(one).hear(one.events.flatMap((event) => [event, event]));
    expect(twice.kept).toEqual(heard().kept);
  });

  test("has nothing to add when its rows are read after it", () => {
    const watcher = heard();
    const before = watcher.drafts.length;
    watcher.readRows();
    expect(lines(watcher.drafts.slice(before))).toEqual([]);
  });

  // A failure before the first message is not stored, so there is nothing to read.
  if (name.startsWith("unknown-")) return;

  test("gives the same items and ends if it is cut off anywhere and its rows are then read", () => {
    const wanted = ends(heard());
    for (let place = 0; place <= one.events.length; place += 1) {
      const watcher = new Watcher(one).hear(one.events.slice(0, place)).readRows();
      expect(ends(watcher), `after ${place} events`).toEqual(wanted);
    }
  });

  test("gives the same items and ends from its rows alone", () => {
    expect(ends(new Watcher(one).readRows())).toEqual(ends(heard()));
  });
});

test("a subagent's items name their session and the call that they work for", () => {
  const one = fixture("subtask");
  const below = new Watcher(one).hear(one.events).kept.filter(({ nativeSession }) => nativeSession !== undefined);
  expect(new Set(below.map((event) => `${event.session} ${event.nativeSession}`))).toEqual(new Set(["ses_1 ses_2"]));
  const messages = below.flatMap((event) => (event.type === "item.started" ? [event.data.item] : []));
  expect(new Set(messages.flatMap(({ kind, parent }) => (kind === "message" ? [parent] : [])))).toEqual(
    new Set(["call:call_1"]),
  );
});

test("the usage of a message is published once, with the message", () => {
  const one = fixture("read-and-edit");
  const used = new Watcher(one).hear(one.events).kept.filter(({ type }) => type === "usage");
  expect(used.map(({ data }) => data)).toMatchObject([
    { of: "message", item: "msg_2", model: "scripted/scripted" },
    { of: "message", item: "msg_3" },
    { of: "message", item: "msg_4" },
  ]);
});

test("text arrives as deltas, and the edit's diff is OpenCode's own", () => {
  const one = fixture("read-and-edit");
  const { drafts } = new Watcher(one).hear(one.events);
  expect(lines(drafts.filter(({ type }) => type === "item.delta")).slice(-2)).toEqual([
    "delta text 'Done: one line m'",
    "delta text 'ore.'",
  ]);
  const change = drafts.find((event) => event.type === "item.completed" && event.data.item.kind === "file_change");
  expect(JSON.stringify(change)).toContain("+Another line.");
  expect(new Set(drafts.map((event) => event.session))).toEqual(new Set([session]));
});

/** The parts that must be the same from any source: asks and retries are not stored, and prompts' parts are by id. */
function ends({ kept }: { kept: readonly Draft[] }) {
  const items = kept.flatMap((event) => {
    if (event.type !== "item.completed" || event.data.item.name === "retry") return [];
    const { item } = event.data;
    const parts = item.role === "user" ? item.parts.map((part) => JSON.stringify(part)).sort() : item.parts;
    return [{ ...item, parts }];
  });
  return {
    items: items.sort((a, b) => a.id.localeCompare(b.id)),
    turns: kept.flatMap((event) => (event.type === "turn.ended" ? [event.data] : [])),
  };
}
