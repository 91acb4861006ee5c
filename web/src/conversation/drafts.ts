/**
 * Unsent messages by conversation. A draft survives a reload and a failed send, and is removed once the daemon has the
 * message. Its message id is chosen with it, so that sending it twice is one message.
 */
import type { Attachment, NewMessage } from "waybill/client";

export type Intent = NonNullable<NewMessage["actionMode"]> | "any";

export type Draft = {
  text: string;
  intent: Intent;
  tasks: string;
  attachments: readonly Attachment[];
  /** Chosen at the first attempt to send it. */
  messageId: string | null;
};

export const emptyDraft: Draft = { text: "", intent: "any", tasks: "", attachments: [], messageId: null };

const key = (conversation: string) => `waybill-draft ${conversation}`;

export function readDraft(conversation: string): Draft {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key(conversation)) ?? "null");
    return typeof stored === "object" && stored !== null ? { ...emptyDraft, ...stored } : emptyDraft;
  } catch {
    return emptyDraft;
  }
}

export function writeDraft(conversation: string, draft: Draft): void {
  const isEmpty = draft.text === "" && draft.attachments.length === 0;
  try {
    if (isEmpty) localStorage.removeItem(key(conversation));
    else localStorage.setItem(key(conversation), JSON.stringify(draft));
  } catch {
    // If the storage is full or forbidden, a reload loses the draft; nothing worse.
  }
}

/** Another text is another message. */
export function changed(draft: Draft, fields: Partial<Draft>): Draft {
  return { ...draft, messageId: null, ...fields };
}

/** As it is sent, with the id of an earlier attempt to send the same. */
export function withMessageId(draft: Draft, text: string): Draft {
  const messageId = (text === draft.text ? draft.messageId : null) ?? newMessageId();
  return { ...draft, text, messageId };
}

/** What was written while it was sent is another message, and stays. */
export function afterSending(draft: Draft, sent: Draft): Draft {
  return draft.messageId === sent.messageId ? { ...emptyDraft, intent: sent.intent } : draft;
}

export function newMessageId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `page-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

export function messageOf(draft: Draft, to: NewMessage["to"]): NewMessage {
  const taskRefs = draft.tasks.split(/[\s,]+/).filter((id) => id !== "");
  return {
    to,
    text: draft.text,
    source: "ui",
    messageId: draft.messageId ?? newMessageId(),
    ...(draft.intent === "any" ? {} : { actionMode: draft.intent }),
    ...(taskRefs.length > 0 ? { taskRefs: taskRefs.map((id) => ({ id })) } : {}),
    ...(draft.attachments.length > 0 ? { attachments: [...draft.attachments] } : {}),
  };
}
