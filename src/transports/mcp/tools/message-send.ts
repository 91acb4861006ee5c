/** `message_send`: sends a message, or a reply to a received message. */
import { z } from "zod";
import { actionModes, replyOutcomes } from "../../../core/message/message.ts";
import { AppError } from "../../../platform/app-error.ts";
import type { AgentMessage, SendReceipt } from "../../../service/agent-service.ts";
import { messageIdField, nameField, summaryField, taskRefField, textField } from "./fields.ts";
import { receiptSchema, receiptText } from "./receipt.ts";
import { changes, defineTool } from "./tool.ts";

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
    to: nameField.meta({
      description:
        "A member's name, `lead`, `team/member`, a person or a lane. For a reply: the sender of the message.",
    }),
    text: textField.meta({ description: "The whole message. Put long content in a file, and name the file." }),
    outcome: z
      .enum(replyOutcomes)
      .optional()
      .meta({ description: "What your reply is. Required with relayOfMessageId." }),
    summary: summaryField.optional(),
    actionMode: z.enum(actionModes).optional().meta({
      description:
        "What you want: do (work), ask (an answer), delegate (have someone do it), notify (no reply needed). A reply is notify by default.",
    }),
    relayOfMessageId: messageIdField.optional().meta({ description: "The id of the message that you reply to." }),
    taskRefs: z.array(taskRefField).max(100).optional().meta({ description: "The tasks that it is about." }),
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
