/** The rows that Waybill writes into inbox files. The same message is always the same row. Pure. */
import { createHash } from "node:crypto";
import { promptMarker } from "../delivery/texts.ts";
import type { Message } from "../message/message.ts";
import type { InboxRow, RowForm } from "./row.ts";
import { fileSender } from "./team-config.ts";

/** `isKnown`: the team's agents know Waybill, and can answer it. */
export function rowFor(message: Message, form: RowForm, isKnown: boolean): InboxRow {
  const { id, from, text, summary, createdAt, relayOfMessageId, taskRefs, actionMode } = message;
  const common = {
    timestamp: new Date(createdAt).toISOString(),
    read: false,
    ...(relayOfMessageId === null ? {} : { relayOfMessageId }),
    ...(taskRefs.length === 0 ? {} : { taskRefs }),
    ...(actionMode === null ? {} : { actionMode }),
  };
  if (form === "classic") {
    return { from, text, ...(summary === null ? {} : { summary }), ...common, messageId: id, source: fileSender };
  }
  return {
    from: fileSender,
    text: sessionText(message, isKnown),
    summary: summary ?? firstWords(text),
    ...common,
    ...{ msgV: 1, msg_id: uuidFrom(id), type: "message", messageId: id },
  };
}

/**
 * The program shows only the text, so the text has to name the sender and, where an answer is possible, say how to
 * answer. Its opening words also keep JSON text from being read as a message of the program itself.
 */
function sessionText({ id, from, text, relayOfMessageId, actionMode }: Message, isKnown: boolean): string {
  const about = relayOfMessageId === null ? "" : `, about ${relayOfMessageId}`;
  const wantsAnswer = actionMode !== "notify" && relayOfMessageId === null;
  return [
    `${promptMarker(id)}${from}${about}]`,
    text,
    ...(wantsAnswer && isKnown ? [`To answer, send a message to ${fileSender} that begins with ${id}.`] : []),
  ].join("\n\n");
}

const summaryCharacters = 60;

function firstWords(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length <= summaryCharacters ? line : `${line.slice(0, summaryCharacters - 1)}…`;
}

function uuidFrom(id: string): string {
  const hex = createHash("sha256").update(`waybill-row-v1\0${id}`).digest("hex");
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join("-");
}

export type NamedMessage = { messageId: string; rest: string };

/** Longer than any id with some trailing punctuation. */
const maxWordLength = 136;

/**
 * The ids that the first word of a text may be, longest first, each with the rest of the text. Ids may contain dots,
 * colons and dashes, which people also write after an id; the caller knows the messages and picks the right one.
 */
export function namedAtBeginning(text: string): NamedMessage[] {
  const [whole = "", word = ""] =
    /^\s*[[(`"'*#]*(?:waybill message )?([A-Za-z0-9][A-Za-z0-9._:-]*)/.exec(text.slice(0, 2 * maxWordLength)) ?? [];
  if (word.length > maxWordLength) return [];
  return Array.from(word, (_, index) => word.length - index).flatMap((length) => {
    if (!/^(?::|[.:-]*$)/.test(word.slice(length))) return [];
    const behind = text.slice(whole.length - word.length + length);
    const separator = /^[\])`"'*]*(?:[\s:,.;—–-]+|$)/.exec(behind)?.[0];
    if (separator === undefined) return [];
    return [{ messageId: word.slice(0, length), rest: behind.slice(separator.length) }];
  });
}
