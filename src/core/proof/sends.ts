/**
 * The messages that an agent sent in its turns, and those that it tried to send to whoever waits and that did not arrive.
 * Pure. A send by Waybill's own tool is known at its destination, whatever the tool's output said; one by another tool is
 * known by its result.
 */
import type { ReplyOutcome } from "../message/message.ts";
import { replyOutcomes } from "../message/message.ts";
import { cleanText } from "../transcript/clean-text.ts";
import { classOf, isOwnTool } from "../transcript/tool-names.ts";
import { reportsFailedSend } from "../transcript/tool-results.ts";
import type { ToolCall } from "../transcript/transcript.ts";

/** A successful `message_send` in the agent's own transcript. */
export type SentMessage = {
  text: string;
  summary: string | null;
  /** Null where the agent did not say it. */
  outcome: ReplyOutcome | null;
  /** Whether it names this message, no message, or another one. */
  relay: "this" | "none" | "another";
  /** Whether it went to the person or agent who waits for the answer; true when that cannot be told. */
  toReplyRecipient: boolean;
};

/** A reply that its sender is still owed. `detail` is for the retry, which quotes it. */
export type FailedSend = {
  why: "error" | "not_arrived" | "wrong_recipient" | "another_message";
  detail: string;
  text: string;
};

/** A message that stands in a mailbox and was written by the lane's agent. */
export type ArrivedMessage = {
  text: string;
  relayOfMessageId: string | null;
  /** Whether its mailbox is that of whoever waits for the answer. */
  isToSender: boolean;
};

export type SendsInput = {
  messageId: string;
  replyRecipient: string;
  /** What the agent's lane has written, where that was looked up. */
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

/** A message to whoever waits for the answer that names ours or, failing that, names none. */
export function isReply(sent: SentMessage): boolean {
  return sent.toReplyRecipient && sent.relay !== "another";
}

function isOver({ status }: ToolCall): boolean {
  return status === "completed" || status === "error";
}

/** What it wrote, in whatever mailbox: an agent may call its recipient by several names. Null where that was not looked up. */
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
  // What the tool refused is not on its way.
  if (isRefused) return "failed";
  return there === null ? "arrived" : "missing";
}

/** Null for what arrived where it should, and for what was not meant for whoever waits. */
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
 * Whether a closing text gives, in its own words, what a failed send was to say, rather than tell of the send. Compared
 * by the words that carry something: numbers, and words of some length.
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
