import { join } from "node:path";
import type { ChatHandle, FakeBotApi } from "@waybill/fake-bot-api";
import { beforeEach, describe, expect, test } from "vitest";
import { startTelegram } from "../../../../test/support/telegram/fake-telegram.ts";
import type { Delivered } from "../../../mail/outbox/outbox.ts";
import type { OutboxRow } from "../../../mail/outbox/transport-box.ts";
import type { ChatRow } from "./chat-row.ts";
import type { DeliverDeps } from "./deliver-row.ts";
import { deliverRow, mayRetryNow } from "./deliver-row.ts";

let telegram: FakeBotApi;
let chat: ChatHandle;
let deps: DeliverDeps;
let sent: Map<string, OutboxRow>;

beforeEach(async () => {
  const started = await startTelegram();
  telegram = started.telegram;
  chat = telegram.supergroup({ topics: true });
  sent = new Map();
  deps = {
    api: started.api,
    box: { row: async (key) => sent.get(key) ?? null },
    server: { hasRichMessages: true, hasDrafts: true },
    phaseNow: async () => "running" as const,
    onMigrated: async () => {},
    onUnauthorized: () => {},
  };
});

function aRow(body: ChatRow, refs: readonly unknown[] = []): OutboxRow {
  const tries = { attempts: 0, nextTryAt: 0, reason: null, createdAt: 0 };
  return { seq: 1, key: "row", channel: String(chat.id), body, state: "waiting", refs, ...tries };
}

const deliver = (body: ChatRow) => deliverRow(aRow(body), deps, new AbortController().signal);
const say = (fields: Partial<Extract<ChatRow, { kind: "text" }>> = {}) =>
  deliver({ kind: "text", thread: null, markdown: "**hello**", ...fields });
const refuse = (method: string, description: string, times = 1) =>
  telegram.fail({ method, times, with: { type: "error", code: 400, description: `Bad Request: ${description}` } });
const shown = () => chat.messages.filter(({ isFromBot }) => isFromBot);

describe("a text", () => {
  test("is sent as a rich message, and its part is recorded as one", async () => {
    expect(await say()).toMatchObject({ outcome: "sent", ref: { style: "rich" } });
    expect(shown()[0]?.rich).toBeDefined();
  });

  test("is sent plain, as written, once the server has rejected rich messages as unknown", async () => {
    telegram.fail({ method: "sendRichMessage", with: { type: "error", code: 404, description: "Not Found" } });
    await say();
    await say();
    expect(shown().map(({ text, entities }) => [text, entities])).toEqual([
      ["**hello**", []],
      ["**hello**", []],
    ]);
    expect(telegram.calls("sendRichMessage")).toHaveLength(1);
  });

  test("is sent plain if its formatting is refused, and as a file if any text is refused", async () => {
    refuse("sendRichMessage", "RICH_MESSAGE_URL_INVALID", 2);
    await say();
    expect(shown()[0]).toMatchObject({ text: "**hello**", entities: [] });
    refuse("sendMessage", "not this text");
    expect(await say({ markdown: "odd" })).toMatchObject({ outcome: "sent" });
    expect(shown()[1]?.file?.bytes.toString()).toBe("odd");
  });

  test("that an earlier version began to send with entities is sent again as a whole", async () => {
    const row = aRow({ kind: "text", thread: null, markdown: "all of it" }, [{ message: 7, style: "text" }]);
    await deliverRow(row, deps, new AbortController().signal);
    expect(shown()).toMatchObject([{ text: "all of it" }]);
  });

  test("that is refused with its formatting does not make later ones plain", async () => {
    refuse("sendRichMessage", "RICH_MESSAGE_URL_INVALID");
    await say();
    await say();
    expect(shown().map(({ rich }) => rich !== undefined)).toEqual([false, true]);
  });

  test("is sent without a reply if the message to reply to was deleted", async () => {
    refuse("sendRichMessage", "message to be replied not found");
    expect(await say({ replyTo: 77 })).toMatchObject({ outcome: "sent" });
    expect(shown()).toMatchObject([{ replyTo: undefined }]);
  });

  test("is sent without its thread if the topic was deleted", async () => {
    const thread = chat.createTopic("Gone");
    chat.deleteTopic(thread);
    expect(await say({ thread })).toMatchObject({ outcome: "sent" });
    expect(shown()).toMatchObject([{ thread: undefined }]);
  });

  test("becomes a new message if the one to replace was deleted or cannot be edited", async () => {
    for (const trouble of ["message to edit not found", "something else"]) {
      const { ref } = (await say()) as Extract<Delivered, { outcome: "sent" }>;
      sent.set("sign", { ...aRow({ kind: "react", message: 1, emoji: null }), refs: [ref] });
      refuse("editMessageText", trouble, trouble === "something else" ? 2 : 1);
      const before = shown().length;
      expect(await say({ markdown: "answer", replaces: ["sign"] })).toMatchObject({ outcome: "sent" });
      expect(shown().slice(before)).toMatchObject([{ text: "answer" }]);
    }
  });
});

describe("an edit", () => {
  const message = async () => {
    const { ref } = (await say()) as Extract<Delivered, { outcome: "sent" }>;
    sent.set("asked", { ...aRow({ kind: "react", message: 1, emoji: null }), refs: [ref] });
  };

  test.each([
    ["refuses its formatting", "RICH_MESSAGE_URL_INVALID"],
    ["is too old for rich messages", "message text is empty"],
  ])("is plain if the server %s", async (_, description) => {
    await message();
    refuse("editMessageText", description);
    expect(await deliver({ kind: "edit", of: "asked", markdown: "**done**" })).toMatchObject({ outcome: "sent" });
    expect(shown()).toMatchObject([{ text: "**done**", rich: undefined }]);
  });

  test("waits as long as the server asks", async () => {
    await message();
    telegram.fail({ method: "editMessageText", with: { type: "tooManyRequests", retryAfterS: 9 } });
    const limited = await deliver({ kind: "edit", of: "asked", markdown: "done" });
    expect(limited).toMatchObject({ outcome: "later", afterMs: 9000 });
  });
});

describe("a row that has to wait", () => {
  test("keeps a pause that the server asked for; other waits may be cut short", async () => {
    telegram.fail({ method: "sendRichMessage", with: { type: "tooManyRequests", retryAfterS: 9 } });
    const limited = await say();
    expect(limited).toMatchObject({ outcome: "later", afterMs: 9000 });
    expect(mayRetryNow({ reason: "reason" in limited ? limited.reason : null })).toBe(false);
    chat.removeBot();
    const kicked = await say();
    expect(kicked).toMatchObject({ outcome: "later", afterMs: 3600_000 });
    expect(mayRetryNow({ reason: "reason" in kicked ? kicked.reason : null })).toBe(true);
  });

  test("moves to the chat's new id, which is reported", async () => {
    const group = telegram.group();
    const next = telegram.migrate(group);
    const moves: number[][] = [];
    deps.onMigrated = async (...ids) => void moves.push(ids);
    const row = { ...aRow({ kind: "text", thread: null, markdown: "x" }), channel: String(group.id) };
    expect(await deliverRow(row, deps, new AbortController().signal)).toEqual({
      outcome: "moved",
      to: String(next.id),
    });
    expect(moves).toEqual([[group.id, next.id]]);
  });

  test("waits while the bot has no right to write in the group", async () => {
    refuse("sendRichMessage", "not enough rights to send text messages to the chat");
    expect(await say()).toMatchObject({ outcome: "later" });
  });
});

describe("a file", () => {
  const file = (path: string) => deliver({ kind: "file", thread: null, name: "a.ts", source: { path } });

  test("is sent from disk", async () => {
    expect(await file(import.meta.filename)).toMatchObject({ outcome: "sent" });
    expect(shown()[0]?.file?.bytes.toString()).toContain("is sent from disk");
  });

  test("that no longer exists fails, so that it does not block the chat", async () => {
    expect(await file(join(import.meta.dirname, "none"))).toEqual({ outcome: "failed", reason: "file_gone" });
  });
});

test("a sign that cannot be shown counts as shown", async () => {
  refuse("setMessageReaction", "REACTION_INVALID");
  expect(await deliver({ kind: "react", message: 1, emoji: "👀" })).toMatchObject({ outcome: "sent" });
  expect(await deliver({ kind: "delete", of: "nothing" })).toMatchObject({ outcome: "sent" });
});
