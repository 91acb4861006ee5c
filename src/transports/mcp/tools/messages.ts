/** The tools that send and list messages. */
import { z } from "zod";
import { actionModes, maxCharacters, replyOutcomes } from "../../../core/message/message.ts";
import { AppError } from "../../../platform/app-error.ts";
import type { AgentMessage, SendReceipt } from "../../../service/agent-service.ts";
import { mailSchema, mailText, mailViews } from "./mail.ts";
import { changes, defineTool } from "./tool.ts";

const nameField = z.string().trim().min(1).max(200);

const textField = z.string().regex(/\S/, "must not be empty").max(maxCharacters);

const summaryField = z.string().max(1000).describe("What it is about, in a few words.");

export const messageIdField = z.string().trim().min(1).max(128);

const taskRefField = z.strictObject({
  id: nameField.max(128).describe("The task's id."),
  team: nameField.max(128).optional(),
  title: z.string().max(500).optional(),
});

const receiptSchema = z.object({
  messageId: z.string(),
  to: z.string().describe("The recipient."),
  known: z.boolean().describe("Whether you had already sent it. Nothing is sent twice."),
  waits: z.string().nullable().describe("Why it has not been sent to its recipient yet; null if nothing blocks it."),
});

function receiptText({ messageId, to, known, waits }: SendReceipt): string {
  const sent = known
    ? `You already sent this to ${to}, as message ${messageId}. It was not sent again.`
    : `Sent to ${to} as message ${messageId}.`;
  return waits === null ? sent : `${sent} It is waiting: ${waits}`;
}

const outcomes = replyOutcomes.join(", ");

export const messageSend = defineTool({
  name: "message_send",
  title: "Send a message",
  description: `Sends a message to a member, a lane or a person. To answer a message that you received, give its id as \
relayOfMessageId and say what your reply is with outcome (required then): answer (the question is answered), done (the work \
is done), question (you need to know something first), blocked (you cannot continue; say why), progress (more will follow). \
Say what you did or found; an acknowledgement alone is not an answer. Sending the same message again is safe. Returns the \
message's id.`,
  annotations: changes({ repeatable: true }),
  input: z.strictObject({
    to: nameField.describe(
      "A member's name, `lead`, `team/member`, a person or a lane. For a reply: the sender of the message.",
    ),
    text: textField.describe("The whole message. Put long content in a file, and name the file."),
    outcome: z.enum(replyOutcomes).optional().describe("What your reply is. Required with relayOfMessageId."),
    summary: summaryField.optional(),
    actionMode: z
      .enum(actionModes)
      .optional()
      .describe(
        "What you want: do (work), ask (an answer), delegate (have someone do it), notify (no reply needed). A reply is notify by default.",
      ),
    relayOfMessageId: messageIdField.optional().describe("The id of the message that you reply to."),
    taskRefs: z.array(taskRefField).max(100).optional().describe("The tasks that it is about."),
  }),
  output: receiptSchema,
  async run(message, { agents, caller }) {
    if (message.relayOfMessageId !== undefined && message.outcome === undefined) throw noOutcome();
    const receipt = await agents.send(caller, message);
    return { data: receipt, text: [receiptText(receipt), ...nextStep(message, receipt)].join(" ") };
  },
});

function nextStep({ relayOfMessageId, outcome, actionMode }: AgentMessage, { messageId }: SendReceipt): string[] {
  if (outcome === "progress") return ["Send the result later, with the same relayOfMessageId."];
  if (relayOfMessageId !== undefined || actionMode === "notify") return [];
  return [`message_wait with messageId ${messageId} returns when it is answered.`];
}

function noOutcome(): AppError {
  return new AppError({
    code: "message_invalid",
    message: "The message was not sent: a reply (relayOfMessageId) needs an outcome.",
    hint: `Send it again with outcome, one of ${outcomes}.`,
  });
}

export const notifyPerson = defineTool({
  name: "notify_person",
  title: "Notify a person",
  description: `Tells a person something that needs no answer, such as a result or a problem that they should know about. To \
ask a person something, use message_send. Returns the message's id.`,
  annotations: changes({ repeatable: false }),
  input: z.strictObject({
    text: textField.describe("The whole note."),
    summary: summaryField.optional(),
    person: nameField.optional().describe("The person to notify; by default the person who runs Waybill."),
  }),
  output: receiptSchema,
  async run(note, { agents, caller }) {
    const receipt = await agents.notifyPerson(caller, note);
    return { data: receipt, text: receiptText(receipt) };
  },
});

export const messageList = defineTool({
  name: "message_list",
  title: "List messages",
  description: `Lists messages that you received, or that you sent. Use it to read a message again, or to find its id. \
Listing marks nothing as read and answers nothing; a reply marks its message as read, and so does naming it in read.`,
  annotations: changes({ repeatable: true }),
  input: z.strictObject({
    box: z.enum(["received", "sent"]).default("received").describe("Which messages."),
    unreadOnly: z.boolean().optional().describe("Only those that are not read yet."),
    read: z
      .array(messageIdField)
      .max(100)
      .optional()
      .describe("Ids of messages that you have read, if you run outside Waybill: they are marked as read."),
    limit: z
      .int()
      .min(1)
      .max(100)
      .default(20)
      .describe("At most this many. Texts are shortened if the result would be too long."),
  }),
  output: z.object({ messages: z.array(mailSchema) }),
  async run(query, { agents, caller }) {
    const messages = mailViews(await agents.list(caller, query));
    const none = query.box === "sent" ? "You have sent no messages." : "There are no messages for you.";
    return { data: { messages }, text: messages.map(mailText).join("\n\n") || none };
  },
});
