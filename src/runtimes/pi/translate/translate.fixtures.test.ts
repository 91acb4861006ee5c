/** Recorded streams of the real pi, through the translation and the turn tracker. See scripts/record-pi.mjs. */
import { describe, expect, test } from "vitest";
import { eventLines } from "../../../../test/support/event-lines.ts";
import { universalEventSchema } from "../../../../test/support/event-schema.ts";
import { fixtureNames, PiWatcher, recordedLines, recordedRows } from "../../../../test/support/pi-fixture.ts";
import { eventRule } from "./event-table.ts";

/** Without pieces, costs and the ends of ids, which are another with every recording. */
function told(watcher: PiWatcher): string[] {
  const lines = eventLines(watcher.drafts).filter((line) => !/^(item\.delta|usage)/.test(line));
  return lines.map((line) => line.replace(/^turn\.started .$/, "turn.started"));
}

const recorded: readonly [name: string, what: string, lines: string][] = [
  [
    "answer",
    "a thought and an answer",
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
    "an answer without a word",
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
    "an error of the provider that cannot be helped",
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
    "a turn that asks its model too often",
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
    "a permission that is given",
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
    "a refusal, which takes the other call of the message along",
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
    "a file that is read, edited and another that is written",
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
    "an error that passes",
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
    "a stop while a person is waited for",
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
    "a stop before the first word",
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

describe("what pi says", () => {
  test.each(recorded)("%s: %s", (name, _what, lines) => {
    const expected = lines
      .trim()
      .split("\n")
      .map((line) => line.trim());
    expect(told(new PiWatcher().receive(recordedLines(name)))).toEqual(expected);
  });

  test("is written out for every recording", () => {
    expect(recorded.map(([name]) => name).toSorted()).toEqual(fixtureNames);
  });

  test.each(fixtureNames)("of %s is known line by line, and gives events as they are described", (name) => {
    const lines = recordedLines(name).filter(({ type }) => type !== "told");
    expect(lines.filter((line) => eventRule(line) === null)).toEqual([]);
    const { drafts } = new PiWatcher().receive(lines);
    const events = drafts.map((draft, place) => ({ id: `e${place}`, seq: place + 1, lane: "lane", ...draft }));
    for (const event of events.filter(({ type }) => type !== "item.delta")) {
      expect(universalEventSchema.safeParse(event).error, event.type).toBeUndefined();
    }
  });

  test.each(fixtureNames)("of %s is not told again by its session file", (name) => {
    const watcher = new PiWatcher().receive(recordedLines(name));
    const count = watcher.drafts.length;
    expect(watcher.retold(recordedRows(name)).drafts.slice(count)).toEqual([]);
  });

  test.each(fixtureNames)("of %s ends the same way for somebody who only has its session file", (name) => {
    const ends = (watcher: PiWatcher) => told(watcher).filter((line) => /^(turn|error|file|tool_result)/.test(line));
    const alone = new PiWatcher().retold(recordedRows(name));
    expect(ends(alone).toSorted()).toEqual(ends(new PiWatcher().receive(recordedLines(name))).toSorted());
  });

  test("and is no JSON, or nobody knows, is told as it is", () => {
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
