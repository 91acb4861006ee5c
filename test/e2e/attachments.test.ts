/** Attachments on the built program: the command line, the API, and crashes. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attachmentFiles } from "../../src/mail/attachments/attachment-files.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { Program } from "../support/daemon/program.ts";
import { notes, png, sha256 } from "../support/files/sample-files.ts";

const waybill = new Program();
const files = () => join(waybill.home, "attachments");
const at = (name: string, content: string | Uint8Array = "") => {
  const path = join(waybill.work, name);
  writeFileSync(path, content);
  return path;
};
const script = { always: [{ steps: [{ say: "I see 1 picture." }] }] };

beforeAll(async () => {
  waybill.configure({ chat: script, crash: script }, { maxAttachmentBytes: 1_000_000 });
  await waybill.up();
});
afterAll(() => waybill.dispose());

const send = (...args: string[]) => waybill.run(["send", "--lane", "chat", ...args, "What is this?"]);

describe("waybill send --attach", () => {
  test("delivers the files to the agent, each with its type, and prints the answer", async () => {
    const result = await send("--id", "m1", "--attach", at("shot", png), "--attach", at("notes.md", notes), "--wait");
    expect(result).toMatchObject({ code: 0, stdout: "I see 1 picture.\n" });
    expect(waybill.prompts().filter(({ text }) => text === "What is this?")).toMatchObject([
      {
        files: [
          { name: "shot", size: png.length },
          { name: "notes.md", size: notes.length },
        ],
      },
    ]);
    const { messages } = await waybill.client().messages({ lane: "chat" });
    expect(messages.find(({ id }) => id === "m1")?.attachments).toEqual([
      { id: sha256(png), name: "shot", mimeType: "image/png", size: png.length },
      { id: sha256(notes), name: "notes.md", mimeType: "text/markdown", size: notes.length },
    ]);
  });

  test("stores them readable only by their owner", () => {
    expect(statSync(files()).mode & 0o777).toBe(0o700);
    expect(statSync(join(files(), sha256(png))).mode & 0o777).toBe(0o600);
  });

  test.each([
    ["a missing file", () => join(waybill.work, "none.png"), "file_unusable", /none\.png does not exist/],
    ["a directory", () => waybill.work, "file_unusable", /is a directory/],
    ["a file that is not regular", () => "/dev/null", "file_unusable", /is not a regular file/],
    ["a pipe without a writer", () => aPipe(), "file_unusable", /is not a regular file/],
    ["a file that is too large", () => at("big.txt", "x".repeat(1_000_001)), "attachment_too_large", /1000000 bytes/],
    ["an archive", () => at("a.zip", "PK\x03\x04"), "attachments_not_supported", /no files of type application\/zip/],
    [
      "a file with a false image extension",
      () => at("fake.png", "PK"),
      "attachments_not_supported",
      /application\/octet-stream/,
    ],
  ])("refuses %s, and sends nothing", async (_, path, code, words) => {
    const before = waybill.prompts().length;
    const { code: exit, stderr } = await send("--json", "--attach", path());
    const { error } = JSON.parse(stderr) as { error: { code: string; message: string } };
    expect([exit, error.code]).toEqual([1, code]);
    expect(error.message).toMatch(words);
    expect(waybill.prompts()).toHaveLength(before);
  });
});

function aPipe(): string {
  const path = join(waybill.work, "pipe");
  execFileSync("mkfifo", [path]);
  return path;
}

describe("the API", () => {
  test("serves what the client stored, byte for byte", async () => {
    const bytes = new Uint8Array(900_000).map((_, index) => index % 251);
    const stored = await waybill.client().attach(new Blob([bytes], { type: "text/csv" }), { name: "däta.csv" });
    expect(stored).toEqual({ id: sha256(bytes), name: "däta.csv", mimeType: "text/csv", size: 900_000 });
    const answer = await waybill.fetch(`/v1/attachments/${stored.id}`);
    expect(sha256(new Uint8Array(await answer.arrayBuffer()))).toBe(stored.id);
    expect(answer.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''d%C3%A4ta.csv");
  });

  test("accepts files only with the token", async () => {
    const url = `${waybill.daemonFile.url}/v1/attachments?name=a`;
    expect((await fetch(url, { method: "POST", body: "hello" })).status).toBe(401);
    const headers = { Origin: "https://evil.example" };
    expect((await waybill.fetch("/v1/attachments?name=a", { method: "POST", body: "hello", headers })).status).toBe(
      403,
    );
  });
});

describe("a crash", () => {
  const lost = "lost".repeat(1000);

  test("during an upload leaves an unnamed file, and between upload and message a file that can still be used", async () => {
    const stored = await waybill
      .client()
      .attach(new Uint8Array(Buffer.from("kept")), { name: "kept.txt", mimeType: "text/plain" });
    await beginUpload(lost);
    await waybill.kill();
    const left = readdirSync(files());
    expect(left.filter((name) => name.startsWith("incoming-"))).toHaveLength(1);
    expect(left).not.toContain(sha256(Buffer.from(lost)));

    await waybill.up();
    const client = waybill.client();
    const text = "Look.";
    await client.sendAndWait({ to: { lane: "crash" }, text, messageId: "m2", attachments: [stored] });
    expect(waybill.prompts().at(-1)).toMatchObject({ text, files: [{ name: "kept.txt", size: 4 }] });
    const again = await client.attach(new Uint8Array(Buffer.from(lost)), { name: "lost.txt" });
    expect(again.id).toBe(sha256(Buffer.from(lost)));
  });

  test("leaves nothing forever: after a day only files that messages name remain", async () => {
    const { messages } = await waybill.client().messages();
    const named = new Set(messages.flatMap(({ attachments }) => attachments.map(({ id }) => id)));
    const inTwoDays = { ...systemClock, now: () => Date.now() + 2 * 24 * 3600_000 };
    const { prune } = attachmentFiles({ directory: files(), maxBytes: 1, clock: inTwoDays });
    await prune(async (ids) => new Set(ids.filter((id) => named.has(id))));
    const kept = readdirSync(files()).filter((name) => !name.endsWith(".json"));
    expect(kept.sort()).toEqual([...named].sort());
    expect(readFileSync(join(files(), sha256(png)))).toEqual(png);
  });

  /** Sends all but the last byte, and waits until the daemon has written the rest. */
  async function beginUpload(content: string): Promise<void> {
    mkdirSync(files(), { recursive: true });
    const { hostname, port } = new URL(waybill.daemonFile.url ?? "");
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    const head = `POST /v1/attachments?name=lost.txt HTTP/1.1\r\nHost: ${hostname}:${port}\r\n`;
    socket.write(`${head}Authorization: Bearer ${waybill.token}\r\nContent-Length: ${content.length}\r\n\r\n`);
    socket.write(content.slice(0, -1));
    const incoming = () => readdirSync(files()).find((name) => name.startsWith("incoming-"));
    for (;;) {
      const name = incoming();
      if (name !== undefined && statSync(join(files(), name)).size === content.length - 1) return;
      await wait(5);
    }
  }
});
