/** `notify_person`: sends a person a note that needs no answer. */
import { z } from "zod";
import { nameField, summaryField, textField } from "./fields.ts";
import { receiptSchema, receiptText } from "./receipt.ts";
import { changes, defineTool } from "./tool.ts";

export const notifyPerson = defineTool({
  name: "notify_person",
  title: "Notify a person",
  description: `Tells a person something that needs no answer, such as a result or a problem that they should know about. To \
ask a person something, use message_send. Returns the message's id.`,
  annotations: changes({ repeatable: false }),
  input: z.strictObject({
    text: textField.meta({ description: "The whole note." }),
    summary: summaryField.optional(),
    person: nameField.optional().meta({ description: "The person to notify; by default the person who runs Waybill." }),
  }),
  output: receiptSchema,
  async run(note, { agents, caller }) {
    const receipt = await agents.notifyPerson(caller, note);
    return { data: receipt, text: receiptText(receipt) };
  },
});
