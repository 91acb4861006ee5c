import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { Transcripts } from "./transcripts.ts";

const sessionId = "5e551011-0000-4000-8000-000000000000";
const nobody = { conversation: null, leftBehind: false };

let directory = "";
let transcripts: Transcripts;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "waybill-transcripts-"));
  mkdirSync(join(directory, "projects", "-srv-work"), { recursive: true });
  transcripts = new Transcripts({
    configDirectory: directory,
    notes: join(directory, "prompted"),
    clock: new ManualClock(),
  });
});
afterEach(() => rmSync(directory, { recursive: true }));

const write = (text: string) => writeFileSync(join(directory, "projects", "-srv-work", `${sessionId}.jsonl`), text);
const slice = (state = nobody) => transcripts.slice("/srv/work", sessionId, null, state);

describe("a session without a conversation", () => {
  const noConversation = `${JSON.stringify({ type: "queue-operation", operation: "enqueue", sessionId })}\n`;

  test("rests before its first prompt", async () => {
    expect(await slice()).toMatchObject({ status: "idle", rows: [], complete: true });
  });

  test.each([
    ["no file", null],
    ["an empty file, as after a power cut", ""],
    ["a file in which nobody said anything", noConversation],
  ])("that was prompted is lost: %s", async (_name, text) => {
    transcripts.notePrompted(sessionId);
    if (text !== null) write(text);
    expect((await slice()).status).toBe("stale");
  });

  test("is not lost while a program that was left behind works on it", async () => {
    transcripts.notePrompted(sessionId);
    expect((await slice({ ...nobody, leftBehind: true })).status).toBe("busy");
  });

  test("that was prompted is known after a restart", async () => {
    transcripts.notePrompted(sessionId);
    const next = new Transcripts({
      configDirectory: directory,
      notes: join(directory, "prompted"),
      clock: new ManualClock(),
    });
    expect(next.wasPrompted(sessionId)).toBe(true);
  });
});

test("a session that was prompted and has its rows is at rest", async () => {
  transcripts.notePrompted(sessionId);
  write(`${JSON.stringify({ type: "user", uuid: "u", message: { content: "go" } })}\n`);
  expect(await slice()).toMatchObject({ status: "idle", complete: true, rows: [{ id: "u" }] });
});
