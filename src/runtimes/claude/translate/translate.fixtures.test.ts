/**
 * Runs recorded streams of the real Claude Code through the translation and the turn tracker. See
 * scripts/record-claude.mjs.
 */
import { describe, expect, test } from "vitest";
import {
  ClaudeWatcher,
  fixtureNames,
  recordedLines,
  recordedRows,
  session,
} from "../../../../test/support/claude/claude-fixture.ts";
import { eventLines } from "../../../../test/support/core/event-lines.ts";
import { universalEventSchema } from "../../../../test/support/rules/event-schema.ts";
import { newestTurn, signalsOf } from "../../../core/turn/slice-signals.ts";
import { TurnTracker } from "../../../core/turn/turn-tracker.ts";
import type { Draft } from "../../../core/turn/universal-event.ts";
import { TranscriptReader } from "../transcript/reader.ts";
import { lineRule } from "./line-table.ts";

const recorded: readonly [name: string, what: string, told: string][] = [
  [
    "api-error",
    "a permanent provider error",
    `
      turn.started 1
      prompt 'go'
      error Credit balance is too low
      turn.ended error
    `,
  ],
  [
    "api-retry",
    "a transient provider error",
    `
      turn.started 1
      prompt 'go'
      status retry
      message begins
      usage of message: 3955+0 in, 4+0 out
      message ends 'There you are.'
      usage of turn: 3955+0 in, 4+0 out $0.0159
      turn.ended completed
    `,
  ],
  [
    "background",
    "a background shell that starts a turn when it ends",
    `
      turn.started 1
      prompt 'go'
      message begins
      tool_call Bash
      status task
      status task
      tool_result Bash
      usage of message: 3955+0 in, 29+0 out
      message ends
      message begins
      usage of message: 4093+0 in, 2+0 out
      message ends 'Begun.'
      usage of turn: 8048+0 in, 31+0 out $0.0328
      turn.ended completed
      status task
      status task
      status task
      turn.started by itself
      message begins
      usage of message: 4350+0 in, 4+0 out
      message ends 'It has ended.'
      usage of turn: 4350+0 in, 4+0 out $0.0175
      turn.ended completed
    `,
  ],
  [
    "compaction",
    "three turns, the last one too long",
    `
      turn.started 1
      prompt 'one'
      message begins
      usage of message: 3955+0 in, 2+0 out
      message ends 'Fine.'
      usage of turn: 3955+0 in, 2+0 out $0.0159
      turn.ended completed
      turn.started 2
      prompt 'two'
      message begins
      usage of message: 3979+0 in, 2+0 out
      message ends 'Fine.'
      usage of turn: 3979+0 in, 2+0 out $0.0160
      turn.ended completed
      turn.started 3
      prompt 'too long'
      status compacting
      status compaction
      status note
      message begins
      usage of message: 4255+0 in, 2+0 out
      message ends 'Fits.'
      usage of turn: 15560+0 in, 26+0 out $0.0628
      turn.ended completed
    `,
  ],
  [
    "empty",
    "an empty answer",
    `
      turn.started 1
      prompt 'go'
      status note
      message begins
      message ends
      usage of turn: 7942+0 in, 2+0 out $0.0318
      turn.ended completed
    `,
  ],
  [
    "hooks",
    "a hook before a tool",
    `
      turn.started 1
      prompt 'go'
      message begins
      tool_call Bash
      status hook
      status hook
      tool_result Bash
      usage of message: 3955+0 in, 24+0 out
      message ends
      message begins
      usage of message: 4014+0 in, 2+0 out
      message ends 'Done.'
      usage of turn: 7969+0 in, 26+0 out $0.0324
      turn.ended completed
    `,
  ],
  [
    "interrupted",
    "a stop while a tool runs",
    `
      turn.started 1
      prompt 'go'
      message begins
      tool_call Bash
      tool_result Bash failed
      usage of message: 3955+0 in, 26+0 out
      message ends failed 'I begin.'
      usage of turn: 3955+0 in, 26+0 out $0.0163
      turn.ended aborted
    `,
  ],
  [
    "interrupted-ask",
    "a stop while a permission is pending",
    `
      turn.started 1
      prompt 'go'
      message begins
      tool_call Bash
      permission.requested Bash: touch made
      permission.resolved expired
      tool_result Bash failed
      usage of message: 3955+0 in, 25+0 out
      message ends failed
      usage of turn: 3955+0 in, 25+0 out $0.0163
      turn.ended aborted
    `,
  ],
  [
    "interrupted-early",
    "a stop before any output",
    `
      turn.started 1
      prompt 'go'
      turn.ended aborted
    `,
  ],
  [
    "interrupted-speaking",
    "a stop while the agent is writing",
    `
      turn.started 1
      prompt 'go'
      message begins
      message ends failed thought 'Hm.' 'This is said so '
      turn.ended aborted
    `,
  ],
  [
    "joined",
    "a prompt that joins a running turn",
    `
      turn.started 1
      prompt 'go'
      message begins
      tool_call Bash
      prompt 'and this'
      tool_result Bash
      usage of message: 3955+0 in, 24+0 out
      message ends
      message begins
      usage of message: 4108+0 in, 4+0 out
      message ends 'Both heard.'
      usage of turn: 8063+0 in, 28+0 out $0.0328
      turn.ended completed
    `,
  ],
  [
    "killed",
    "a process that is killed mid-turn",
    `
      turn.started 1
      prompt 'go'
      message begins
      tool_call Bash
      tool_result failed
      usage of message: 3955+0 in, 26+0 out
      message ends 'I begin.'
      turn.ended interrupted
    `,
  ],
  [
    "permission-allowed",
    "a permission that is granted",
    `
      turn.started 1
      prompt 'go'
      message begins
      tool_call Bash
      permission.requested Bash: touch made
      permission.resolved once
      tool_result Bash
      usage of message: 3955+0 in, 25+0 out
      message ends
      message begins
      usage of message: 4022+0 in, 2+0 out
      message ends 'Made.'
      usage of turn: 7977+0 in, 27+0 out $0.0324
      turn.ended completed
    `,
  ],
  [
    "permission-denied",
    "a permission that is denied",
    `
      turn.started 1
      prompt 'go'
      message begins
      tool_call Bash
      permission.requested Bash: touch made
      permission.resolved reject
      tool_result Bash failed refused
      usage of message: 3955+0 in, 25+0 out
      message ends
      message begins
      usage of message: 4016+0 in, 3+0 out
      message ends 'Then not.'
      usage of turn: 7971+0 in, 28+0 out $0.0324
      turn.ended completed
    `,
  ],
  [
    "permission-rejected",
    "a permission that is refused without a reason",
    `
      turn.started 1
      prompt 'go'
      message begins
      tool_call Bash
      permission.requested Bash: touch made
      permission.resolved reject
      tool_result Bash failed refused
      usage of message: 3955+0 in, 25+0 out
      message ends
      usage of turn: 3955+0 in, 25+0 out $0.0163
      turn.ended aborted
    `,
  ],
  [
    "questions",
    "two questions",
    `
      turn.started 1
      prompt 'go'
      message begins
      tool_call AskUserQuestion
      question.requested Which colour? Which fruits?
      question.resolved answered Blue / Fig,Plum
      tool_result AskUserQuestion
      usage of message: 3955+0 in, 103+0 out
      message ends
      message begins
      usage of message: 4124+0 in, 2+0 out
      message ends 'Noted.'
      usage of turn: 8079+0 in, 105+0 out $0.0344
      turn.ended completed
    `,
  ],
  [
    "queued",
    "a prompt that waits for the end of a turn",
    `
      turn.started 1
      prompt 'go'
      message begins
      prompt 'next'
      usage of message: 3955+0 in, 13+0 out
      message ends 'You said go, slowly enough for another to come.'
      usage of turn: 3955+0 in, 13+0 out $0.0161
      turn.ended completed, 1 queued
      turn.started 2
      message begins
      usage of message: 3989+0 in, 13+0 out
      message ends 'You said next, slowly enough for another to come.'
      usage of turn: 3989+0 in, 13+0 out $0.0162
      turn.ended completed
    `,
  ],
  [
    "read-edit-say",
    "a file that is read and edited",
    `
      turn.started 1
      prompt 'go'
      message begins
      tool_call Read
      tool_result Read
      usage of message: 3955+0 in, 29+0 out
      message ends 'I read.'
      message begins
      tool_call Edit
      tool_result Edit
      file_change /home/user/work/notes.txt modified with diff
      usage of message: 4026+0 in, 38+0 out
      message ends
      message begins
      usage of message: 4142+0 in, 2+0 out
      message ends 'Done.'
      usage of turn: 12123+0 in, 69+0 out $0.0499
      turn.ended completed
    `,
  ],
  [
    "repeated",
    "a prompt that is sent again",
    `
      turn.started 1
      prompt 'go'
      message begins
      usage of message: 3955+0 in, 4+0 out
      message ends 'You said go.'
      usage of turn: 3955+0 in, 4+0 out $0.0159
      turn.ended completed
      turn.started 2
      prompt 'next'
      message begins
      usage of message: 3981+0 in, 4+0 out
      message ends 'You said next.'
      usage of turn: 3981+0 in, 4+0 out $0.0160
      turn.ended completed
    `,
  ],
  [
    "subagent",
    "a subagent",
    `
      turn.started 1
      prompt 'go'
      message begins
      tool_call Task
      status task
        prompt 'inner job'
      status task
        message begins
        tool_call Bash
        tool_result Bash
      status task
      status task
        message ends
        message begins
        message ends 'Inner done.'
      tool_result Task
      usage of message: 3955+0 in, 33+0 out
      message ends
      message begins
      usage of message: 4213+0 in, 3+0 out
      message ends 'All done.'
      usage of turn: 14169+0 in, 66+0 out $0.0580
      turn.ended completed
    `,
  ],
  [
    "thinking",
    "a thought",
    `
      turn.started 1
      prompt 'go'
      message begins
      usage of message: 90+30 in, 12+0 out
      message ends thought 'This needs some thought.' 'Forty-two.'
      usage of turn: 90+30 in, 12+0 out $0.0006
      turn.ended completed
    `,
  ],
  [
    "todos",
    "a plan",
    `
      turn.started 1
      prompt 'go'
      message begins
      tool_call TaskCreate
      plan
      tool_result TaskCreate
      usage of message: 1910+0 in, 32+0 out
      message ends
      message begins
      tool_call TaskUpdate
      plan
      tool_result TaskUpdate
      usage of message: 1980+0 in, 23+0 out
      message ends
      message begins
      usage of message: 2046+0 in, 3+0 out
      message ends 'Looked.'
      usage of turn: 5936+0 in, 58+0 out $0.0249
      turn.ended completed
    `,
  ],
  [
    "two-tools",
    "two tools in one message",
    `
      turn.started 1
      prompt 'go'
      message begins
      tool_call Bash
      tool_call Bash
      tool_result Bash
      tool_result Bash failed
      usage of message: 3955+0 in, 48+0 out
      message ends
      message begins
      usage of message: 4081+0 in, 4+0 out
      message ends 'One worked.'
      usage of turn: 8036+0 in, 52+0 out $0.0332
      turn.ended completed
    `,
  ],
  [
    "two-turns",
    "two turns",
    `
      turn.started 1
      prompt 'one'
      message begins
      usage of message: 3955+0 in, 4+0 out
      message ends 'You said one.'
      usage of turn: 3955+0 in, 4+0 out $0.0159
      turn.ended completed
      turn.started 2
      prompt 'two'
      message begins
      usage of message: 3981+0 in, 4+0 out
      message ends 'You said two.'
      usage of turn: 3981+0 in, 4+0 out $0.0160
      turn.ended completed
    `,
  ],
  [
    "writing",
    "files that are created and changed, and one that is not",
    `
      turn.started 1
      prompt 'go'
      message begins
      tool_call Write
      tool_result Write
      file_change /home/user/work/made.txt added with diff
      usage of message: 3955+0 in, 32+0 out
      message ends
      message begins
      tool_call Read
      tool_call Edit
      tool_result Read
      tool_result Edit failed
      usage of message: 4051+0 in, 65+0 out
      message ends
      message begins
      tool_call Write
      tool_result Write
      file_change /home/user/work/notes.txt modified with diff
      usage of message: 4211+0 in, 34+0 out
      message ends
      message begins
      usage of message: 4318+0 in, 3+0 out
      message ends 'Written.'
      usage of turn: 16535+0 in, 134+0 out $0.0688
      turn.ended completed
    `,
  ],
];

function watched(name: string, lines = recordedLines(name)): ClaudeWatcher {
  const watcher = new ClaudeWatcher().sent(recordedLines(name)).receive(lines);
  // The runtime reports the end of the process.
  return name === "killed" ? watcher.take([{ type: "died" }]) : watcher;
}

function items(drafts: readonly Draft[]): string[] {
  return eventLines(drafts.filter(({ type }) => type !== "usage"));
}

function isPiece(line: string): boolean {
  return JSON.parse(line).type === "stream_event";
}

/** As the runtime reads it: a turn without rows still gets one. */
function transcriptOf(name: string): TranscriptReader {
  const reader = new TranscriptReader();
  for (const row of recordedRows(name)) reader.add(row);
  const prompts = ["a77e0001-0000-4000-8000-000000000001"];
  if (name === "empty") reader.turnEnded({ prompts, at: 1, error: null, cost: null });
  return reader;
}

describe("a recorded stream", () => {
  test.each(recorded)("%s (%s) gives these events in this order", (name, _what, told) => {
    const expected = told
      .split("\n")
      .slice(1, -1)
      .map((line) => line.slice("      ".length));
    expect(eventLines(watched(name).kept)).toEqual(expected);
  });

  test("is listed here for each fixture except the long one", () => {
    expect([...recorded.map(([name]) => name), "a-thousand-lines"].sort()).toEqual(fixtureNames);
  });
});

describe.each(fixtureNames)("the stream %s", (name) => {
  const lines = recordedLines(name);

  test("has one end for each turn and each item, and nothing unparsed", () => {
    const { kept, tracker } = watched(name);
    const count = (type: string) => kept.filter((event) => event.type === type).length;
    expect(count("turn.started")).toBeGreaterThan(0);
    expect(count("turn.ended")).toBe(count("turn.started"));
    expect(count("item.completed")).toBe(count("item.started"));
    expect(count("unparsed")).toBe(0);
    expect(tracker.inTurn).toBe(false);
    for (const event of kept) universalEventSchema.parse({ id: "e", seq: 1, lane: "lane", ...event });
  });

  test("has only lines that the table knows", () => {
    const known = lines.map((line) => lineRule(JSON.parse(line)));
    expect(known.filter((kind) => kind === null)).toEqual([]);
  });

  test("gives the same events when every line comes twice", () => {
    const twice = watched(
      name,
      lines.flatMap((line) => [line, line]),
    );
    expect(twice.kept).toEqual(watched(name).kept);
  });

  test.each(["the whole transcript", "its newest turn"])("gives nothing new when %s is read after it", (what) => {
    const { tracker } = watched(name);
    const all = transcriptOf(name).newest(null);
    const rows = what === "its newest turn" ? newestTurn(all) : all;
    expect(rows.length).toBeGreaterThan(0);
    const slice = { sessionId: session, status: "idle" as const, asks: [], rows, complete: true, lastActivityAt: null };
    expect(signalsOf(slice, 1).flatMap((signal) => tracker.take(signal))).toEqual([]);
    expect(tracker.inTurn).toBe(false);
  });
});

// Without deltas, a message begins with its first complete block, and a killed one is never complete.
const seenLater = ["queued", "killed"];
test.each(fixtureNames.filter((name) => !seenLater.includes(name)))(
  "the stream %s gives the same events, apart from usage, without deltas",
  (name) => {
    const whole = recordedLines(name).filter((line) => !isPiece(line));
    expect(items(watched(name, whole).kept)).toEqual(items(watched(name).kept));
  },
);

test("an unfinished message gives the same events when the transcript is also read", () => {
  const lines = recordedLines("killed");
  const watcher = new ClaudeWatcher().sent(lines).receive(lines);
  const rows = transcriptOf("killed").newest(null);
  const slice = { sessionId: session, status: "busy" as const, asks: [], rows, complete: true, lastActivityAt: null };
  expect(signalsOf(slice, 1).flatMap((signal) => watcher.tracker.take(signal))).toEqual([]);
  watcher.take([{ type: "died" }]);
  expect(items(watcher.kept)).toEqual(items(watched("killed").kept));
});

test("a turn that the program started has no prompt when it is read from the transcript", () => {
  const rows = transcriptOf("background").newest(null);
  const slice = { sessionId: session, status: "idle" as const, asks: [], rows, complete: true, lastActivityAt: null };
  const told = new TurnTracker();
  const started = signalsOf(slice, 1).flatMap((signal) =>
    told.take(signal).filter(({ type }) => type === "turn.started"),
  );
  expect(rows.map(({ role }) => role)).toEqual(["user", "assistant", "assistant", "system", "assistant"]);
  expect(started).toMatchObject([{ data: { prompt: "a77e0001-0000-4000-8000-000000000001" } }]);
  const [last] = signalsOf({ ...slice, rows: rows.slice(3) }, 1);
  expect(last).toMatchObject({ type: "message", prompt: null });
});
