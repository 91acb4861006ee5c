/** `message_list`: lists the messages that the caller received or sent. */
import { z } from "zod";
import { messageIdField } from "./fields.ts";
import { mailSchema, mailText, mailViews } from "./mail.ts";
import { changes, defineTool } from "./tool.ts";

export const messageList = defineTool({
  name: "message_list",
  title: "List messages",
  description: `Lists messages that you received, or that you sent. Use it to read a message again, or to find its id. \
Listing marks nothing as read and answers nothing; a reply marks its message as read, and so does naming it in read.`,
  annotations: changes({ repeatable: true }),
  input: z.strictObject({
    box: z.enum(["received", "sent"]).default("received").meta({ description: "Which messages." }),
    unreadOnly: z.boolean().optional().meta({ description: "Only those that are not read yet." }),
    read: z.array(messageIdField).max(100).optional().meta({
      description: "Ids of messages that you have read, if you run outside Waybill: they are marked as read.",
    }),
    limit: z
      .int()
      .min(1)
      .max(100)
      .default(20)
      .meta({ description: "At most this many. Texts are shortened if the result would be too long." }),
  }),
  output: z.object({ messages: z.array(mailSchema) }),
  async run(query, { agents, caller }) {
    const messages = mailViews(await agents.list(caller, query));
    const none = query.box === "sent" ? "You have sent no messages." : "There are no messages for you.";
    return { data: { messages }, text: messages.map(mailText).join("\n\n") || none };
  },
});
