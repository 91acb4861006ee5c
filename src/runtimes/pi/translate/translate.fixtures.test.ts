/** Runs recorded streams of the real pi through the translation and the turn tracker. See scripts/record-pi.mjs. */
import { describe, expect, test } from "vitest";
import { eventLines } from "../../../../test/support/core/event-lines.ts";
import { fixtureNames, PiWatcher, recordedLines, recordedRows } from "../../../../test/support/pi/pi-fixture.ts";
import { universalEventSchema } from "../../../../test/support/rules/event-schema.ts";
import { eventRule } from "./translate.ts";

/** Leaves out deltas, costs and the ends of ids, which differ between recordings. */
function told(watcher: PiWatcher): string[] {
  const lines = eventLines(watcher.drafts).filter((line) => !/^(item\.delta|usage)/.test(line));
  return lines.map((line) => line.replace(/^turn\.started .$/, "turn.started"));
}

const recorded: readonly [name: string, what: string, lines: string][] = [
  [
    "answer",
    "reasoning and an answer",
    `
      turn.started
      prompt 'go'
      message begins
      message ends thought 'This needs some thought.' 'Forty-two.'
      turn.ended completed
    `,
  ],
  [
    "empty",
    "an empty answer",
    `
      turn.started
      prompt 'go'
      message begins
      message ends
      turn.ended completed
    `,
  ],
  [
    "error",
    "a permanent provider error",
    `
      turn.started
      prompt 'go'
      error 400 {"type":"error","error":{"type":"invalid_request_error","message":"This cannot be done."}}
      turn.ended error
    `,
  ],
  [
    "error-after-words",
    "an error in the middle of an answer",
    `
      turn.started
      prompt 'go'
      message begins
      error {"type":"error","error":{"type":"api_error","message":"The model broke off."}}
      message ends failed 'I begin to say'
      turn.ended error
    `,
  ],
  [
    "limit",
    "a turn that calls its model too often",
    `
      turn.started
      prompt 'go'
      ${Array(4).fill("message begins\n tool_call read\n tool_result read\n message ends").join("\n")}
      error pi asked its model 4 times in this turn, which is the limit (piAgentMaxSteps).
      turn.ended error
    `,
  ],
  [
    "permission-allowed",
    "a permission that is granted",
    `
      turn.started
      prompt 'go'
      message begins
      tool_call bash
      permission.requested bash: echo made
      permission.resolved once
      tool_result bash
      message ends 'May I?'
      message begins
      message ends 'Made.'
      turn.ended completed
    `,
  ],
  [
    "permission-rejected",
    "a refusal, which also stops the other call of the message",
    `
      turn.started
      prompt 'go'
      message begins
      tool_call bash
      tool_call bash
      permission.requested bash: echo one
      permission.resolved reject
      tool_result bash failed refused
      tool_result bash failed refused
      message ends 'May I?'
      turn.ended aborted
    `,
  ],
  [
    "question",
    "a question",
    `
      turn.started
      prompt 'go'
      message begins
      tool_call question
      question.requested Which colour?
      question.resolved answered Blue
      tool_result question
      message ends
      message begins
      message ends 'Noted.'
      turn.ended completed
    `,
  ],
  [
    "read-edit-say",
    "a file that is read and edited, and another that is written",
    `
      turn.started
      prompt 'go'
      message begins
      tool_call read
      tool_result read
      message ends 'I read.'
      message begins
      tool_call edit
      tool_result edit
      file_change notes.txt modified with diff
      message ends
      message begins
      tool_call write
      tool_result write
      file_change new.txt unknown
      message ends
      message begins
      message ends 'Done.'
      turn.ended completed
    `,
  ],
  [
    "retry",
    "a transient provider error",
    `
      turn.started
      prompt 'go'
      status retry
      message begins
      message ends 'There you are.'
      turn.ended completed
    `,
  ],
  [
    "stopped",
    "a stop between two messages",
    `
      turn.started
      prompt 'go'
      message begins
      tool_call read
      tool_result read
      message ends 'I begin.'
      turn.ended aborted
    `,
  ],
  [
    "stopped-ask",
    "a stop while a permission is pending",
    `
      turn.started
      prompt 'go'
      message begins
      tool_call bash
      permission.requested bash: echo made
      tool_result bash failed
      message ends failed
      permission.resolved expired
      turn.ended aborted
    `,
  ],
  [
    "stopped-early",
    "a stop before any output",
    `
      turn.started
      prompt 'go'
      turn.ended aborted
    `,
  ],
  [
    "tool-error",
    "a tool that fails",
    `
      turn.started
      prompt 'go'
      message begins
      tool_call read
      tool_result read failed
      message ends
      message begins
      message ends 'It is not there.'
      turn.ended completed
    `,
  ],
];

describe("a recorded stream", () => {
  test.each(recorded)("%s: %s", (name, _what, lines) => {
    const expected = lines
      .trim()
      .split("\n")
      .map((line) => line.trim());
    expect(told(new PiWatcher().receive(recordedLines(name)))).toEqual(expected);
  });

  test("is listed here for every recording", () => {
    expect(recorded.map(([name]) => name).toSorted()).toEqual(fixtureNames);
  });

  test.each(fixtureNames)("of %s has only known lines, and gives valid events", (name) => {
    const lines = recordedLines(name).filter(({ type }) => type !== "told");
    expect(lines.filter((line) => eventRule(line) === null)).toEqual([]);
    const { drafts } = new PiWatcher().receive(lines);
    const events = drafts.map((draft, place) => ({ id: `e${place}`, seq: place + 1, lane: "lane", ...draft }));
    for (const event of events.filter(({ type }) => type !== "item.delta")) {
      expect(universalEventSchema.safeParse(event).error, event.type).toBeUndefined();
    }
  });

  test.each(fixtureNames)("of %s gives nothing new when its session file is read", (name) => {
    const watcher = new PiWatcher().receive(recordedLines(name));
    const count = watcher.drafts.length;
    expect(watcher.retold(recordedRows(name)).drafts.slice(count)).toEqual([]);
  });

  test.each(fixtureNames)("of %s ends the same way when only its session file is read", (name) => {
    const ends = (watcher: PiWatcher) => told(watcher).filter((line) => /^(turn|error|file|tool_result)/.test(line));
    const alone = new PiWatcher().retold(recordedRows(name));
    expect(ends(alone).toSorted()).toEqual(ends(new PiWatcher().receive(recordedLines(name))).toSorted());
  });

  test("with an unknown line, or one that is not JSON, publishes that line unparsed", () => {
    const watcher = new PiWatcher();
    expect(watcher.translator.translate("{oops")).toEqual([{ type: "unparsed", reason: "no JSON", raw: "{oops" }]);
    const unknown = '{"type":"unheard_of"}';
    expect(watcher.translator.translate(unknown)).toEqual([
      { type: "unparsed", reason: "unknown line unheard_of", raw: unknown },
    ]);
    const half = '{"type":"tool_execution_end","toolCallId":"nobody"}';
    expect(watcher.translator.translate(half)).toMatchObject([{ type: "unparsed", raw: half }]);
  });
});
