import { expect, test } from "vitest";
import { ManualClock } from "../../../../test/support/core/manual-clock.ts";
import { Albums } from "./albums.ts";
import type { IncomingMessage } from "./read-update.ts";

const closing = new AbortController().signal;

function photo(messageId: number, album: string | null, text = ""): IncomingMessage {
  return {
    ...{ kind: "message", messageId, album, text, editedAt: null, repliesTo: null, forwardedFrom: null },
    place: { chat: 1, isPrivate: true, title: null, thread: null },
    from: { id: 1, name: "ann", isBot: false },
    files: [{ fileId: `f${messageId}`, name: `${messageId}.jpg`, mimeType: "image/jpeg", size: 1 }],
  };
}

const filesOf = (whole: { message: IncomingMessage } | null) => whole?.message.files.map(({ fileId }) => fileId);

test("the files of an album become one message, with the caption of any of them", async () => {
  const clock = new ManualClock();
  const albums = new Albums(clock);
  const parts = [photo(1, "a"), photo(2, "a", "Look."), photo(3, "a")];
  for (const part of parts) albums.note(part, `u${part.messageId}`);
  const wholes = parts.map((part) => albums.whole(part, `u${part.messageId}`, closing));
  await clock.advance(1000);
  const [first, second, third] = await Promise.all(wholes);
  expect(filesOf(first ?? null)).toEqual(["f1", "f2", "f3"]);
  expect(first?.message).toMatchObject({ messageId: 1, text: "Look." });
  expect(first?.updates).toEqual(["u1", "u2", "u3"]);
  expect([second, third]).toEqual([null, null]);
});

test("an album that could not be stored is the same on the next try", async () => {
  const clock = new ManualClock();
  const albums = new Albums(clock);
  for (const id of [1, 2]) albums.note(photo(id, "a"), `u${id}`);
  const tried = albums.whole(photo(1, "a"), "u1", closing);
  await clock.advance(1000);
  expect(filesOf(await tried)).toEqual(["f1", "f2"]);
  expect(filesOf(await albums.whole(photo(1, "a"), "u1", closing))).toEqual(["f1", "f2"]);
});

test("a file that comes late is a separate message, and so is one without an album", async () => {
  const clock = new ManualClock();
  const albums = new Albums(clock);
  albums.note(photo(1, "a"), "u1");
  const first = albums.whole(photo(1, "a"), "u1", closing);
  await clock.advance(1000);
  expect(filesOf(await first)).toEqual(["f1"]);
  albums.note(photo(2, "a"), "u2");
  expect(filesOf(await albums.whole(photo(2, "a"), "u2", closing))).toEqual(["f2"]);
  expect(filesOf(await albums.whole(photo(3, null), "u3", closing))).toEqual(["f3"]);
});
