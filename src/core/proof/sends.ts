/**
 * The messages that an agent sent in its turns, and its replies to the sender that did not arrive. A send by
 * Waybill's own tool is judged by its destination, whatever the tool's output; a send by another tool by its result.
 * Pure.
 */
import type { ReplyOutcome } from "../message/message.ts";
import { replyOutcomes } from "../message/message.ts";
import { cleanText } from "../transcript/clean-text.ts";
import { classOf, isOwnTool, reportsFailedSend } from "../transcript/tool-calls.ts";
import type { ToolCall } from "../transcript/transcript.ts";

/** A successful `message_send` in the agent's own transcript. */
export type SentMessage = {
  text: string;
  summary: string | null;
  /** Null if the agent did not declare one. */
  outcome: ReplyOutcome | null;
  /** Whether it names this message, no message, or another one. */
  relay: "this" | "none" | "another";
  /** Whether it went to the person or agent who waits for the answer; true if that is unknown. */
  toReplyRecipient: boolean;
};

/** A reply that the sender is still owed. The retry quotes `detail`. */
export type FailedSend = {
  why: "error" | "not_arrived" | "wrong_recipient" | "another_message";
  detail: string;
  text: string;
};

/** A message in a mailbox that was written by the lane's agent. */
export type ArrivedMessage = {
  text: string;
  relayOfMessageId: string | null;
  /** Whether its mailbox belongs to the recipient of the answer. */
  isToSender: boolean;
};

export type SendsInput = {
  messageId: string;
  replyRecipient: string;
  /** What the agent's lane has written, if it was looked up. */
  mailbox?: readonly ArrivedMessage[] | undefined;
};

export type Sends = {
  sent: readonly SentMessage[];
  failed: readonly FailedSend[];
  /** A send by Waybill's own tool that is not in its mailbox, or not yet. */
  unconfirmed: boolean;
};

export const noSends: Sends = { sent: [], failed: [], unconfirmed: false };

export function sendsIn(tools: readonly ToolCall[], input: SendsInput): Sends {
  const sent: SentMessage[] = [];
  const failed: FailedSend[] = [];
  let unconfirmed = false;
  for (const tool of tools.filter((one) => classOf(one) === "visible" && isOver(one))) {
    const there = arrivedMessages(tool, input);
    const message = sentMessage(tool, there, input);
    const state = arrival(tool, there);
    unconfirmed ||= state === "missing";
    if (state === "arrived") sent.push(message);
    const failure = failureOf(tool, message, state, input);
    if (failure) failed.push(failure);
  }
  return { sent, failed, unconfirmed };
}

/** A message to the recipient of the answer that names this message or, failing that, names none. */
export function isReply(sent: SentMessage): boolean {
  return sent.toReplyRecipient && sent.relay !== "another";
}

function isOver({ status }: ToolCall): boolean {
  return status === "completed" || status === "error";
}

/** Its messages in any mailbox: an agent may use several names for its recipient. Null if they were not looked up. */
function arrivedMessages(tool: ToolCall, { mailbox, replyRecipient }: SendsInput): readonly ArrivedMessage[] | null {
  if (!isOwnTool(tool.name) || mailbox === undefined) return null;
  const { text, to, relayOf } = fieldsOf(tool);
  const namesSender = to === replyRecipient.toLowerCase();
  return mailbox.filter(
    (mail) =>
      mail.text.trim() === text && (mail.relayOfMessageId ?? "") === relayOf && (mail.isToSender || !namesSender),
  );
}

function arrival(tool: ToolCall, there: readonly ArrivedMessage[] | null): "arrived" | "missing" | "failed" {
  if (there !== null && there.length > 0) return "arrived";
  const isRefused = tool.status === "error" || tool.rejected || reportsFailedSend(tool.output);
  // A send that the tool refused is not on its way.
  if (isRefused) return "failed";
  return there === null ? "arrived" : "missing";
}

/** Null for a message that arrived correctly, and for one that was not meant as the answer. */
function failureOf(
  tool: ToolCall,
  message: SentMessage,
  state: ReturnType<typeof arrival>,
  { messageId, replyRecipient }: SendsInput,
): FailedSend | null {
  const { to, relayOf } = fieldsOf(tool);
  const { text } = message;
  if (state !== "arrived") {
    const isMeant = message.relay === "this" || message.toReplyRecipient;
    if (!isMeant || tool.rejected) return null;
    const output = firstLine(tool.output);
    if (state === "missing") return { why: "not_arrived", detail: "the message is not in the mailbox", text };
    return { why: "error", detail: output === "" ? "the tool failed" : output, text };
  }
  if (isReply(message)) return null;
  if (message.relay === "this") {
    return { why: "wrong_recipient", detail: `it went to "${to}" instead of "${replyRecipient}"`, text };
  }
  if (message.relay === "another" && message.toReplyRecipient) {
    return { why: "another_message", detail: `it names message "${relayOf}" instead of "${messageId}"`, text };
  }
  return null;
}

function sentMessage(
  tool: ToolCall,
  there: readonly ArrivedMessage[] | null,
  { messageId, replyRecipient }: SendsInput,
): SentMessage {
  const { text, to, relayOf, summary, outcome } = fieldsOf(tool);
  return {
    text,
    summary: summary || null,
    outcome,
    relay: relayOf === "" ? "none" : relayOf === messageId ? "this" : "another",
    toReplyRecipient:
      there === null || there.length === 0
        ? to === "" || to === replyRecipient.toLowerCase()
        : there.some(({ isToSender }) => isToSender),
  };
}

function fieldsOf({ input }: ToolCall) {
  const field = (name: string) => (typeof input[name] === "string" ? (input[name] as string).trim() : "");
  return {
    text: field("text"),
    summary: field("summary"),
    to: field("to").toLowerCase(),
    relayOf: field("relayOfMessageId"),
    outcome: replyOutcomes.find((one) => one === input.outcome) ?? null,
  };
}

const longestDetail = 200;

function firstLine(output: string): string {
  const line =
    cleanText(output.slice(0, 4000))
      .split("\n")
      .find((one) => one.trim() !== "") ?? "";
  return line.trim().slice(0, longestDetail);
}

/**
 * Whether a closing text repeats the content of a failed send, instead of only mentioning the send. Compares the
 * significant words: numbers, and words of some length.
 */
export function restates(text: string, failed: readonly FailedSend[]): boolean {
  const said = new Set(wordsIn(text));
  return failed.some((send) => {
    const words = wordsIn(send.text);
    const repeated = words.filter((word) => said.has(word));
    const tells = repeated.length > 1 || repeated.some((word) => /\p{N}/u.test(word));
    return tells && repeated.length >= words.length * 0.6;
  });
}

const longestCompared = 20_000;

function wordsIn(text: string): string[] {
  const words =
    text
      .slice(0, longestCompared)
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const carrying = words.filter(
    (word) =>
      word.length > 3 || /\p{N}|[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word),
  );
  return [...new Set(carrying)];
}
