import { expect, test } from "vitest";
import { afterSending, changed, emptyDraft, withMessageId } from "./drafts.ts";

const draft = { ...emptyDraft, text: "Hello.", intent: "ask" as const };

test("a draft that was sent is empty, and keeps its intent", () => {
  const sent = withMessageId(draft, draft.text);
  expect(afterSending(sent, sent)).toEqual({ ...emptyDraft, intent: "ask" });
});

test("what is written while a message is sent stays", () => {
  const sent = withMessageId(draft, draft.text);
  const written = changed(sent, { text: "Hello. And one more thing." });
  expect(afterSending(written, sent)).toEqual({ ...draft, text: "Hello. And one more thing.", messageId: null });
});

test("sending the same again is the same message, and another text is another one", () => {
  const tried = withMessageId(draft, draft.text);
  expect(withMessageId(tried, tried.text).messageId).toBe(tried.messageId);
  expect(withMessageId(tried, "Is it green?").messageId).not.toBe(tried.messageId);
  expect(changed(tried, { tasks: "t1" }).messageId).toBeNull();
});
