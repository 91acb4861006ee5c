import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TranscriptFile } from "../../process-pool/transcript-file.ts";
import { findTranscript, sessionOfTranscript, transcriptFolders } from "./files.ts";
import { TranscriptReader } from "./reader.ts";

let directory = "";
let path = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "waybill-transcript-"));
  path = join(directory, "session.jsonl");
});
afterEach(() => rmSync(directory, { recursive: true }));

const row = (uuid: string) => `${JSON.stringify({ type: "user", uuid, message: { content: `prompt ${uuid} – ä` } })}\n`;

async function ids(file: TranscriptFile<TranscriptReader>): Promise<string[]> {
  return (await file.refresh()).newest(null).map(({ id }) => id);
}

describe("a transcript", () => {
  test("that grows is read further, and every row only once", async () => {
    writeFileSync(path, row("a"));
    const file = new TranscriptFile(path, () => new TranscriptReader());
    expect(await ids(file)).toEqual(["a"]);
    appendFileSync(path, row("b") + row("c"));
    expect(await ids(file)).toEqual(["a", "b", "c"]);
    expect(await ids(file)).toEqual(["a", "b", "c"]);
  });

  test("yields a row that is still being written once it is complete, wherever it was cut", async () => {
    const bytes = Buffer.from(row("a"));
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      writeFileSync(path, bytes.subarray(0, cut));
      const file = new TranscriptFile(path, () => new TranscriptReader());
      await file.refresh();
      appendFileSync(path, bytes.subarray(cut));
      expect((await file.refresh()).newest(null)[0]?.text).toBe("prompt a – ä");
    }
  });

  test("loses only the row that a crash cut in two", async () => {
    writeFileSync(path, `${row("a")}${row("b").slice(0, 20)}\n${row("c")}`);
    expect(await ids(new TranscriptFile(path, () => new TranscriptReader()))).toEqual(["a", "c"]);
  });

  test("that became shorter is read from the beginning", async () => {
    writeFileSync(path, row("a") + row("b"));
    const file = new TranscriptFile(path, () => new TranscriptReader());
    await file.refresh();
    writeFileSync(path, row("c"));
    expect(await ids(file)).toEqual(["c"]);
  });

  test("that was replaced by another file is read from the beginning, even if that file is longer", async () => {
    writeFileSync(path, row("a"));
    const file = new TranscriptFile(path, () => new TranscriptReader());
    await file.refresh();
    writeFileSync(`${path}.new`, row("b") + row("c"));
    renameSync(`${path}.new`, path);
    expect(await ids(file)).toEqual(["b", "c"]);
  });

  test("gives two concurrent readers the same rows", async () => {
    writeFileSync(path, Array.from({ length: 2000 }, (_, index) => row(`r${index}`)).join(""));
    const file = new TranscriptFile(path, () => new TranscriptReader());
    const [one, other] = await Promise.all([ids(file), ids(file)]);
    expect(one).toHaveLength(2000);
    expect(other).toEqual(one);
  });
});

describe("the path of a transcript", () => {
  const session = "5e551011-0000-4000-8000-000000000000";

  test("follows from the lane's directory", () => {
    const folder = join(directory, "projects", "-srv-my-project-2");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${session}.jsonl`), "");
    expect(findTranscript(directory, "/srv/my_project.2", session)).toBe(join(folder, `${session}.jsonl`));
  });

  test("is found in another folder when the directory has moved", () => {
    const folder = join(directory, "projects", "-srv-before");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${session}.jsonl`), "");
    expect(findTranscript(directory, "/srv/after", session)).toBe(join(folder, `${session}.jsonl`));
  });

  test("is null before the first prompt", () => {
    expect(findTranscript(directory, "/srv/after", session)).toBeNull();
  });
});

describe("the transcripts of a directory", () => {
  test("are in one folder, or in any folder that matches its truncated name", () => {
    expect(transcriptFolders(directory, "/srv/my_project.2")).toEqual([
      join(directory, "projects", "-srv-my-project-2"),
    ]);
    const long = `/srv/${"a".repeat(250)}`;
    const cut = join(directory, "projects", `-srv-${"a".repeat(195)}-k3j9`);
    for (const folder of [cut, join(directory, "projects", "-srv-b")]) mkdirSync(folder, { recursive: true });
    expect(transcriptFolders(directory, long)).toEqual([cut]);
  });

  test("are those of sessions, not those of subagents", () => {
    const id = "5e551011-0000-4000-8000-000000000000";
    expect(sessionOfTranscript(`${id}.jsonl`)).toBe(id);
    for (const name of [id, "agent-a1b2c3d4.jsonl", `agent-${id}.jsonl`, "sessions-index.json"]) {
      expect(sessionOfTranscript(name)).toBeNull();
    }
  });
});
