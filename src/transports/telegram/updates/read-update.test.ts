import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readUpdate, updateId } from "./read-update.ts";

const chat = { id: -5, type: "supergroup", title: "Work" };
const from = { id: 7, is_bot: false, first_name: "Ann", username: "ann" };
const message = { message_id: 3, date: 1, chat, from, text: "hello" };
const read = (fields: Record<string, unknown>) => readUpdate({ update_id: 1, message: { ...message, ...fields } });

describe("any input", () => {
  test("arbitrary JSON is read without an error", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        expect(readUpdate(body)).toHaveProperty("kind");
        const id = updateId(body);
        expect(id === null || id >= 0).toBe(true);
      }),
    );
  });

  test("an update with arbitrary fields is read without an error", () => {
    const field = fc.constantFrom("chat", "from", "message_id", "date", "text", "photo", "quote", "forward_origin");
    const kind = fc.constantFrom("message", "edited_message", "callback_query", "my_chat_member");
    fc.assert(
      fc.property(kind, fc.dictionary(field, fc.jsonValue()), (name, fields) => {
        expect(readUpdate({ update_id: 1, [name]: { ...message, ...fields } })).toHaveProperty("kind");
      }),
    );
  });

  test("a message keeps its text if an optional field has an unexpected form", () => {
    const optional = ["photo", "document", "quote", "reply_to_message", "forward_origin", "media_group_id", "voice"];
    fc.assert(
      fc.property(fc.constantFrom(...optional), fc.jsonValue(), (name, value) => {
        expect(read({ [name]: value })).toMatchObject({ kind: "message", text: "hello" });
      }),
    );
  });
});

describe("where a message belongs", () => {
  test("a message in a topic belongs to the topic", () => {
    expect(read({ message_thread_id: 2, is_topic_message: true })).toMatchObject({ place: { thread: 2 } });
  });

  test("a reply in a group without topics belongs to the group, and includes the message it replies to", () => {
    const replied = { message_id: 2, text: "the question" };
    expect(read({ message_thread_id: 2, reply_to_message: replied })).toMatchObject({
      place: { thread: null },
      repliesTo: { messageId: 2, text: "the question" },
    });
  });

  test("the message that created a topic does not count as replied to", () => {
    const replied = { message_id: 2, text: "made the topic" };
    const fields = { message_thread_id: 2, is_topic_message: true, reply_to_message: replied };
    expect(read(fields)).toMatchObject({ repliesTo: null });
  });
});

test.each([
  ["a group's new id", { migrate_to_chat_id: -100 }, { kind: "migrated", from: -5, to: -100 }],
  ["a group's old id", { migrate_from_chat_id: -4 }, { kind: "migrated", from: -4, to: -5 }],
  ["a new topic", { forum_topic_created: { name: "Bugs" } }, { kind: "topic_named", name: "Bugs" }],
  ["a message without a sender", { from: undefined }, { kind: "other" }],
  ["a message without text", { text: undefined }, { kind: "other" }],
  ["a caption", { text: undefined, caption: "look" }, { kind: "message", text: "look" }],
])("%s", (_, fields, expected) => {
  expect(read(fields)).toMatchObject(expected);
});
