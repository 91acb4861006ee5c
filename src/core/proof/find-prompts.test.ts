import { describe, expect, test } from "vitest";
import { aRecord } from "../../../test/support/core/records.ts";
import { answerRow, aSlice, userRow } from "../../../test/support/core/transcript.ts";
import { attemptDigest, deliveryId, maxSendsPerAttempt } from "../delivery/attempt.ts";
import { promptMarker } from "../delivery/texts.ts";
import type { TranscriptRow } from "../transcript/transcript.ts";
import type { DirectorySearch } from "./find-prompts.ts";
import { attemptsInDirectory, promptsIn, unknownGeneration } from "./find-prompts.ts";
import { observe } from "./observe.ts";

const record = aRecord({ id: "m1", text: "What is the answer?", createdAt: 1000 }, { maxAttempts: 3, maxRepairs: 2 });
const idsFrom = (digest: string) => ({ messageId: `msg_${digest}`, partId: `prt_${digest}` });
const idOf = (number: number, generation: number, delivery = record.id) =>
  idsFrom(attemptDigest(delivery, number, generation)).messageId;

/** `unknown` and `known` are rows by session, newest session first. */
function search(
  { unknown = {}, known = {} }: { unknown?: Record<string, TranscriptRow[]>; known?: Record<string, TranscriptRow[]> },
  more: Partial<DirectorySearch> = {},
) {
  const promptsOf = (sessions: Record<string, TranscriptRow[]>) =>
    Object.entries(sessions).flatMap(([id, rows]) => promptsIn(id, rows));
  return attemptsInDirectory(record, {
    generations: new Map(Object.keys(known).map((id, index) => [id, index + 1])),
    inKnown: promptsOf(known),
    inUnknown: promptsOf(unknown),
    request: { text: "What is the answer?", since: 1000 },
    otherDeliveries: [],
    takesIds: true,
    idsFrom,
    ...more,
  });
}

describe("a prompt with one of Waybill's ids", () => {
  test("is found in a session that the store does not know, whatever its generation", () => {
    const rows = [userRow("u"), answerRow("u"), userRow(idOf(1, 37), { createdAt: 1200 })];
    expect(search({ unknown: { old: rows } })).toMatchObject([
      { number: 1, kind: "prompt", sessionId: "old", generation: 37, messageId: idOf(1, 37) },
    ]);
    expect(search({ unknown: { old: rows } })).toMatchObject([
      { prePromptCursor: "u-answer", submittedAt: 1200, sends: 1 },
    ]);
  });

  test("is found in a session that the store knows, even with a generation from after a restore", () => {
    const generations = new Map([["own", 1_700_000_000]]);
    const found = search({ known: { own: [userRow(idOf(1, 1_700_000_000))] } }, { generations });
    expect(found).toMatchObject([{ sessionId: "own", generation: 1_700_000_000 }]);
  });

  test("may be one of several across sessions, and missing ones in between count as lost in transit", () => {
    const unknown = { newer: [userRow(idOf(7, 3))], older: [userRow(idOf(4, 2)), userRow(idOf(1, 2))] };
    const found = search({ unknown });
    expect(found.map(({ number, sessionId }) => [number, sessionId])).toEqual([
      [1, "older"],
      [2, "older"],
      [3, "older"],
      [4, "older"],
      [5, "newer"],
      [6, "newer"],
      [7, "newer"],
    ]);
  });

  test("belongs to the older session if a fork has a copy of it", () => {
    const rows = [userRow(idOf(1, 1))];
    expect(search({ unknown: { copy: rows, original: rows } })).toMatchObject([{ sessionId: "original" }]);
  });

  test("is the only one that counts, whatever else has the same text", () => {
    const rows = [userRow(idOf(1, 1)), userRow("other", { text: "What is the answer?", createdAt: 2000 })];
    expect(search({ unknown: { old: rows } })).toMatchObject([{ messageId: idOf(1, 1) }]);
  });
});

describe("a prompt under another id", () => {
  const asked = (id: string, row: Partial<TranscriptRow> = {}) =>
    userRow(id, { text: "What is the answer?", createdAt: 1500, ...row });
  const marked = `${promptMarker("m1")}user]\n\nWhat is the answer?`;

  test.each([
    ["its text is the message's text", "What is the answer?"],
    ["its text is the same with surrounding whitespace", " What is the answer?\n"],
    ["it begins with the marker", marked],
  ])("is found when %s, and keeps the id of its row", (_why, text) => {
    const rows = [userRow("u"), asked("row", { text })];
    expect(search({ unknown: { old: rows } })).toMatchObject([
      { number: 1, messageId: "row", partId: "row", sessionId: "old", prePromptCursor: "u", submittedAt: 1500 },
    ]);
  });

  test("can be observed, and is never sent again with that id", () => {
    const rows = [asked("row"), answerRow("row", { text: "It is 42." })];
    const attempts = search({ unknown: { old: rows } });
    const { messageId, replyRecipient } = record;
    const slices = [aSlice(rows, { sessionId: "old" })];
    const seen = observe({ slices, attempts, messageId, replyRecipient, takesIds: true });
    expect(seen).toMatchObject({ found: true, state: "responded_plain_text", evidence: { finalText: "It is 42." } });
    expect(attempts).toMatchObject([{ sends: maxSendsPerAttempt, generation: unknownGeneration }]);
  });

  test.each([
    ["only quotes the marker", { text: `He wrote: ${marked}` }],
    ["begins with the marker of another message", { text: marked.replace("m1", "m11") }],
    ["says more than the message", { text: "What is the answer? And the question?" }],
    ["has the same text and is older than the message", { createdAt: 999 }],
    ["was put in place of another by a compaction", { continuesId: "row" }],
  ])("that %s is not taken for it", (_what, row) => {
    expect(search({ unknown: { old: [asked("other", row)] } })).toEqual([]);
  });

  test("is not taken for it in a session that the store knows", () => {
    expect(search({ known: { own: [asked("row")] } })).toEqual([]);
  });

  test("is not taken for it if the message is empty or missing", () => {
    const unknown = { old: [asked("row", { text: "" })] };
    for (const text of ["", null]) expect(search({ unknown }, { request: { text, since: 1000 } })).toEqual([]);
  });

  test("is not taken for it if the same message went to another lane, nor is a copy of that prompt", () => {
    const other = deliveryId({ team: null, member: null, laneId: "other", messageId: "m1" });
    const unknown = { fork: [asked("copy", { text: marked })], old: [asked(idOf(2, 5, other), { text: marked })] };
    expect(search({ unknown }, { otherDeliveries: [other] })).toEqual([]);
    expect(search({ unknown })).toHaveLength(1);
  });

  test("is one of several attempts in time order", () => {
    const unknown = { newer: [asked("second", { createdAt: 1700 })], older: [asked("first")] };
    expect(search({ unknown }).map(({ number, messageId, kind }) => [number, messageId, kind])).toEqual([
      [1, "first", "prompt"],
      [2, "second", "retry"],
    ]);
  });
});

describe("if a runtime takes no ids", () => {
  const marked = (id: string, createdAt: number) =>
    userRow(id, { text: `${promptMarker("m1")}user]\n\nHi.`, createdAt });

  test("the marker identifies prompts across all sessions, in time order", () => {
    const unknown = { newer: [marked("c", 3000)], older: [marked("a", 1000)] };
    const found = search({ unknown, known: { own: [marked("b", 2000)] } }, { takesIds: false });
    expect(found.map(({ number, sessionId, generation }) => [number, sessionId, generation])).toEqual([
      [1, "older", unknownGeneration],
      [2, "own", 1],
      [3, "newer", unknownGeneration],
    ]);
  });

  test("a copy in a fork is not a second attempt", () => {
    const unknown = { fork: [marked("copy", 1000)], older: [marked("a", 1000)] };
    expect(search({ unknown }, { takesIds: false })).toMatchObject([{ number: 1, sessionId: "older" }]);
  });

  test("a text without the marker is not a match", () => {
    const rows = [userRow("a", { text: "What is the answer?", createdAt: 1500 })];
    expect(search({ unknown: { old: rows } }, { takesIds: false })).toEqual([]);
  });
});
