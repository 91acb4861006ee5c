import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../../../test/support/core/manual-clock.ts";
import type { SessionProcess } from "../../process-pool/transcript-slice.ts";
import { StdioClient } from "../client.ts";
import { Transcripts } from "./sessions.ts";

const sessionId = "5e551011-0000-4000-8000-000000000000";
const noProcess: SessionProcess<StdioClient> = { client: null, isOrphaned: false };

let directory = "";
let transcripts: Transcripts;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "waybill-transcripts-"));
  mkdirSync(join(directory, "projects", "-srv-work"), { recursive: true });
  transcripts = new Transcripts({
    configDirectory: directory,
    markers: join(directory, "prompted"),
    clock: new ManualClock(),
  });
});
afterEach(() => rmSync(directory, { recursive: true }));

const write = (text: string) => writeFileSync(join(directory, "projects", "-srv-work", `${sessionId}.jsonl`), text);
const slice = (state = noProcess) => transcripts.slice("/srv/work", sessionId, null, state);

describe("a session without a conversation", () => {
  const noConversation = `${JSON.stringify({ type: "queue-operation", operation: "enqueue", sessionId })}\n`;

  test("is idle before its first prompt", async () => {
    expect(await slice()).toMatchObject({ status: "idle", rows: [], complete: true });
  });

  test.each([
    ["no file", null],
    ["an empty file, as after a power failure", ""],
    ["a file without any conversation", noConversation],
  ])("is lost if it was prompted: %s", async (_name, text) => {
    transcripts.markPrompted(sessionId);
    if (text !== null) write(text);
    expect((await slice()).status).toBe("stale");
  });

  test("is not lost while an orphaned process works on it", async () => {
    transcripts.markPrompted(sessionId);
    expect((await slice({ ...noProcess, isOrphaned: true })).status).toBe("busy");
  });

  test("is still lost after a restart if it was prompted", async () => {
    transcripts.markPrompted(sessionId);
    const next = new Transcripts({
      configDirectory: directory,
      markers: join(directory, "prompted"),
      clock: new ManualClock(),
    });
    expect((await next.slice("/srv/work", sessionId, null, noProcess)).status).toBe("stale");
  });
});

test("a session that was prompted and has its rows is idle", async () => {
  transcripts.markPrompted(sessionId);
  write(`${JSON.stringify({ type: "user", uuid: "u", message: { content: "go" } })}\n`);
  expect(await slice()).toMatchObject({ status: "idle", complete: true, rows: [{ id: "u" }] });
});

const asked = (timestamp: string) =>
  `${JSON.stringify({ type: "user", uuid: "u", timestamp, message: { content: "go" } })}\n`;

test("a long answer counts as activity before any of it is in the file", async () => {
  write(asked("1970-01-01T00:00:01.000Z"));
  const connection = { write: () => {}, onIdle: () => {}, onChange: () => {}, now: () => 9000 };
  const client = new StdioClient(connection, () => {});
  void client.prompt("u", "go");
  client.receive({ type: "stream_event", event: { type: "ping" } });
  expect((await slice({ client, isOrphaned: false })).lastActivityAt).toBe(1000);
  client.receive({ type: "stream_event", event: { type: "content_block_delta" } });
  expect((await slice({ client, isOrphaned: false })).lastActivityAt).toBe(9000);
});

test("a session is still read after its file has moved", async () => {
  write(asked("1970-01-01T00:00:01.000Z"));
  await slice();
  renameSync(join(directory, "projects", "-srv-work"), join(directory, "projects", "-srv-moved"));
  expect(await slice()).toMatchObject({ rows: [{ id: "u" }] });
});
