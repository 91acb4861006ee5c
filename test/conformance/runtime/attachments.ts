/** Files of the types that the runtime accepts reach the model unchanged, and do not affect the prompt. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { refusalOf } from "../../../src/core/message/file-type.ts";
import type { AttachedFile } from "../../../src/runtimes/port.ts";
import type { SampleFile } from "../../support/files/sample-files.ts";
import { attachedFile, sampleFiles, sha256 } from "../../support/files/sample-files.ts";
import type { Opened } from "./watched-session.ts";
import { openSession, soon } from "./watched-session.ts";

export function attachments(opened: Opened): void {
  const takes = (file: AttachedFile) => refusalOf([file], opened().runtime.traits.attachments) === null;
  const inDirectory = (samples: readonly SampleFile[]) => {
    const directory = mkdtempSync(join(tmpdir(), "waybill-files-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    return samples.map((sample) => attachedFile(sample, directory)).filter(takes);
  };
  const playedWith = async (files: readonly AttachedFile[]) => {
    const session = await openSession(opened());
    const prompt = { ...session.prompt("answers"), attachments: files };
    expect(await opened().runtime.submit(session.lane, prompt, soon())).toEqual({ outcome: "accepted" });
    return { session, prompt, slice: await session.rests() };
  };

  test("images and text are accepted types, and archives are not", () => {
    const { attachments } = opened().runtime.traits;
    const types = ["image/png", "image/jpeg", "text/plain", "application/json", "application/zip"];
    const taken = types.map((mimeType) => refusalOf([{ id: "a", name: "a", mimeType, size: 1 }], attachments) === null);
    expect(taken).toEqual([true, true, true, true, false]);
  });

  test.each(sampleFiles)("$name reaches the model if the runtime accepts $mimeType", async (sample) => {
    const files = inDirectory([sample]);
    if (files.length === 0) return expect(opened().runtime.traits.attachments).not.toEqual([]);
    const { prompt, slice } = await playedWith(files);
    const received = opened().received(prompt.text);
    // Without a model, check the transcript.
    if (received === null) {
      return expect(slice.rows[0]?.text).toBe(`${prompt.text}\n[file ${sample.name}, ${sample.bytes.length} bytes]`);
    }
    const isThere =
      received.files.includes(sha256(sample.bytes)) || received.text.includes(sample.bytes.toString("utf8").trim());
    expect([received, isThere]).toEqual([received, true]);
  });

  test("a prompt with files is one row under its id, starts with its text, and is answered", async () => {
    const { session, prompt, slice } = await playedWith(inDirectory(sampleFiles));
    expect(slice.rows.map(({ role }) => role)).toEqual(["user", "assistant"]);
    const [user, answer] = slice.rows;
    if (opened().runtime.traits.takesIds) expect(user?.id).toBe(prompt.messageId);
    expect(user?.text.startsWith(prompt.text)).toBe(true);
    expect(answer).toMatchObject({ parentId: user?.id, text: "It is 4." });
    expect(session.of("turn.ended")).toHaveLength(1);
  });

  test("sending the same ids and files again adds no second row and repeats no file", async () => {
    const files = inDirectory(sampleFiles);
    const { session, prompt } = await playedWith(files);
    expect(await opened().runtime.submit(session.lane, prompt, soon())).toEqual({ outcome: "accepted" });
    const turns = session.of("turn.ended").length + 1;
    const next = await session.send("answers next");
    const { rows } = await session.rests(turns);
    expect(rows.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    const received = opened().received(next.text);
    if (received) expect(new Set(received.files).size).toBe(received.files.length);
  });

  test("a prompt with a missing file is not sent", async () => {
    const session = await openSession(opened());
    const [file] = inDirectory(sampleFiles.slice(0, 1));
    if (!file) throw new Error("the runtime accepts no image");
    rmSync(file.path);
    const prompt = { ...session.prompt("answers"), attachments: [file] };
    const outcome = await opened().runtime.submit(session.lane, prompt, soon());
    expect(outcome).toMatchObject({ outcome: "not_sent" });
    expect((await session.read()).rows).toEqual([]);
  });
}
