import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Json } from "../../json-fields.ts";
import { RpcClient } from "../client.ts";
import { sessionFolders } from "./files.ts";
import { PiSessions } from "./sessions.ts";

const home = realpathSync(mkdtempSync(join(tmpdir(), "pi-sessions-")));
afterAll(() => rmSync(home, { recursive: true }));

let count = 0;
const user = (text: string): Json => ({ role: "user", content: text, timestamp: ++count });
const says = (text: string): Json => ({ role: "assistant", content: text, stopReason: "stop", timestamp: ++count });
const calls = (id: string): Json => ({
  ...{ role: "assistant", stopReason: "toolUse", timestamp: ++count },
  content: [{ type: "toolCall", id, name: "bash", arguments: {} }],
});

test("a turn that begins while the file is read makes the session busy, and the previous turn stays complete", async () => {
  const sessions = new PiSessions(sessionFolders({ HOME: home }), join(home, "notes"));
  const client = new RpcClient({ write: () => {}, now: () => 1, onIdle: () => {}, onChange: () => {} });
  const path = sessions.pathOf(home, "s");
  mkdirSync(dirname(path), { recursive: true });
  let last: string | null = null;
  const happens = (message: Json) => {
    const id: string = `row${message.timestamp}`;
    appendFileSync(path, `${JSON.stringify({ type: "message", id, parentId: last, message })}\n`);
    last = id;
    client.receive({ type: "message_end", message });
  };
  happens(user("one"));
  happens(says("First."));
  const reading = sessions.slice(home, "s", null, { client, isOrphaned: false });
  void client.prompt("two");
  client.receive({ type: "agent_start" });
  happens(user("two"));
  happens(calls("c1"));
  const { status, rows } = await reading;
  expect(status).toBe("busy");
  expect(rows.map(({ text }) => text)).toEqual(["one", "First.", "two", ""]);
  expect(rows.at(-1)).toMatchObject({ completedAt: expect.any(Number), tools: [{ status: "running" }] });
});
