import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { aLane, World } from "../../test/support/daemon/waybill.ts";
import { maxCharacters, maxSystemBytes } from "../core/message/message.ts";
import type { NewMessage } from "./message-schema.ts";

let world: World;
beforeEach(async () => {
  world = await new World({ lanes: [{ runtime: "elsewhere" }] }).start();
});
afterEach(() => world.dispose());

const message: NewMessage = { id: "m1", to: { lane: "lane" }, from: "user", text: "Hello" };
const anAttachment = { id: "a".repeat(64), name: "a.txt", mimeType: "text/plain", size: 5 };
const send = (change: Partial<NewMessage> = {}) => world.waybill.admission.admit({ ...message, ...change });

describe("admission", () => {
  test("is idempotent by recipient and message id", async () => {
    const first = await send();
    const again = await send();
    expect(again).toMatchObject({ known: true, delivery: { id: first.delivery?.id } });
    expect((await world.waybill.store.deliveries({ limit: 10 })).items).toHaveLength(1);
  });

  test("refuses the same id with another body, and changes nothing", async () => {
    await send();
    await expect(send({ text: "Something else" })).rejects.toMatchObject({ code: "message_conflict" });
    const stored = await world.waybill.store.message({ kind: "lane", lane: "lane" }, "m1");
    expect(stored?.text).toBe("Hello");
  });

  test("extra instructions are part of the message and stored with it", async () => {
    await send({ system: "Be brief." });
    expect(await send({ system: "Be brief." })).toMatchObject({ known: true });
    for (const system of [undefined, "Be long."]) {
      await expect(send({ system })).rejects.toMatchObject({ code: "message_conflict" });
    }
    const stored = await world.waybill.store.message({ kind: "lane", lane: "lane" }, "m1");
    expect(stored?.system).toBe("Be brief.");
  });

  test("a message without extra instructions keeps the hash it had before they existed", async () => {
    const { delivery } = await send();
    expect(delivery?.payloadHash).toBe("d2a6961add7f5d732f3f898845dded8359fb52cba4602d3986bb0b36faef86de");
  });

  test("fields outside the logical message may differ", async () => {
    await send({ source: "cli" });
    expect(await send({ source: "ui" })).toMatchObject({ known: true });
  });

  test("two messages with the same text are two messages", async () => {
    await send();
    await send({ id: "m2" });
    expect((await world.waybill.store.deliveries({ limit: 10 })).items).toHaveLength(2);
  });

  test("a reply needs no reply, unless its sender asks for one", async () => {
    expect((await send({ relayOfMessageId: "m0" })).message.actionMode).toBe("notify");
    expect((await send({ id: "m2", relayOfMessageId: "m0", actionMode: "ask" })).message.actionMode).toBe("ask");
    expect((await send({ id: "m3" })).message.actionMode).toBeNull();
  });

  test("lists the known lanes when a lane is unknown", async () => {
    await expect(send({ to: { lane: "nowhere" } })).rejects.toMatchObject({
      code: "lane_unknown",
      hint: "Known lanes: lane.",
    });
  });

  test.each([
    ["too many attachments", { attachments: Array.from({ length: 21 }, () => anAttachment) }, /attachments/],
    ["an empty text", { text: "  \n" }, /text: must not be empty/],
    ["a text that is too long", { text: "x".repeat(maxCharacters + 1) }, /text: must not be longer than/],
    ["instructions that are too large", { system: "ü".repeat(maxSystemBytes / 2 + 1) }, /system: must not be larger/],
    ["instructions with a NUL character", { system: "a\0b" }, /system: must not contain a NUL/],
    ["a bad id", { id: "../m1" }, /id: must be 1 to 128/],
    ["an unknown action mode", { actionMode: "shout" as never }, /actionMode/],
    ["an unknown field", { tone: "loud" } as never, /tone/],
    ["an invalid expiry", { expiresAt: -1 }, /expiresAt/],
  ])("refuses %s in one line, and stores nothing", async (_, change: Partial<NewMessage>, words) => {
    await expect(send(change)).rejects.toMatchObject({
      code: "message_invalid",
      message: expect.stringMatching(words),
    });
    expect((await world.waybill.store.deliveries({ limit: 10 })).items).toEqual([]);
  });
});

describe("attachments", () => {
  const store = (text = "hello", name = "a.txt", mimeType = "text/plain") =>
    world.waybill.attachments.store({ name, mimeType, bytes: Buffer.from(text, "latin1") });

  test("a message may name a stored attachment", async () => {
    const attachment = await store();
    expect((await send({ attachments: [attachment] })).message.attachments).toEqual([attachment]);
    expect(await world.waybill.store.namedAttachments([attachment.id])).toEqual(new Set([attachment.id]));
  });

  test("a message that names an unknown attachment is refused", async () => {
    const refused = send({ attachments: [await store(), anAttachment] });
    await expect(refused).rejects.toMatchObject({ code: "attachment_unknown" });
    expect((await world.waybill.store.deliveries({ limit: 10 })).items).toEqual([]);
  });

  test("a message that states the wrong size or type for an attachment is refused", async () => {
    const text = await store();
    const png = await store("\x89PNG\r\n\x1a\n", "a.png", "image/png");
    for (const wrong of [
      { ...text, size: 4 },
      { ...text, mimeType: "image/png" },
      { ...png, mimeType: "image/gif" },
      { ...png, mimeType: "text/plain" },
    ]) {
      await expect(send({ attachments: [wrong] })).rejects.toMatchObject({ code: "attachment_mismatch" });
    }
    await send({ attachments: [{ ...text, name: "other.md", mimeType: "text/markdown" }, png] });
  });

  test("an admitted message stays admitted after its file is removed", async () => {
    const attachments = [await store()];
    await send({ attachments });
    rmSync(join(world.directory, "attachments"), { recursive: true });
    expect(await send({ attachments })).toMatchObject({ known: true });
    await expect(send({ id: "m2", attachments })).rejects.toMatchObject({ code: "attachment_unknown" });
  });

  test("a file that the lane's runtime does not accept is refused immediately, with its type", async () => {
    await world.waybill.store.putLane(aLane({ id: "stub" }));
    const to = { lane: "stub" };
    const zip = await store("PK", "a.zip", "application/zip");
    await expect(send({ to, attachments: [zip] })).rejects.toMatchObject({
      code: "attachments_not_supported",
      message: expect.stringContaining("application/zip"),
    });
    await send({ to, attachments: [await store()] });
  });

  test("pruning keeps the files that messages name, and removes the others after a day", async () => {
    const [named, unnamed] = [await store("named"), await store("unnamed")];
    await send({ attachments: [named] });
    await world.clock.advance(25 * 3600_000);
    await world.waybill.prune();
    expect(await world.waybill.attachments.find(named.id)).not.toBeNull();
    expect(await world.waybill.attachments.find(unnamed.id)).toBeNull();
  });
});
