/** Messages as agents see them: their schema, and their text for a model. */
import { z } from "zod";
import { actionModes, messageOutcomes } from "../../../core/message/message.ts";
import type { AgentMail } from "../../../service/agent-service.ts";
import type { Unchanged } from "./tool.ts";

export const mailSchema = z.object({
  id: z.string(),
  from: z.string(),
  to: z.string(),
  text: z.string(),
  shortened: z.boolean().describe("Whether only the beginning of the text is here."),
  summary: z.string().nullable(),
  actionMode: z.enum(actionModes).nullable().describe("What the sender wants."),
  outcome: z.enum(messageOutcomes).nullable().describe("What kind of reply it is."),
  relayOfMessageId: z.string().nullable().describe("The message that it replies to."),
  taskRefs: z.array(z.object({ id: z.string(), team: z.string().optional(), title: z.string().optional() })),
  sentAt: z.string().describe("ISO 8601, in UTC."),
  isRead: z.boolean(),
});
type MailView = Unchanged<z.input<typeof mailSchema>>;

/** The limit for all texts of one result: a hundred messages could fill any model's context. */
const maxTextCharacters = 100_000;
const shortenedCharacters = 500;

export function mailViews(mails: readonly AgentMail[]): MailView[] {
  let left = maxTextCharacters;
  return mails.map((mail, index) => {
    // The first is always complete, so that a list of one shows any message.
    const shortened = index > 0 && mail.text.length > Math.max(left, shortenedCharacters);
    const text = shortened ? beginning(mail.text) : mail.text;
    left -= text.length;
    return { ...mail, text, shortened, sentAt: new Date(mail.sentAt).toISOString() };
  });
}

/** Never ends in half a surrogate pair. */
function beginning(text: string): string {
  return `${text.slice(0, shortenedCharacters).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** A heading line for the message, and its text below. */
export function mailText(mail: MailView): string {
  const notes = [
    mail.actionMode && `wants: ${mail.actionMode}`,
    mail.outcome,
    mail.relayOfMessageId && `reply to ${mail.relayOfMessageId}`,
    ...mail.taskRefs.map(({ id }) => `task ${id}`),
    !mail.isRead && "unread",
    mail.shortened && "shortened",
  ].filter(Boolean);
  const head = `Message ${mail.id} from ${mail.from} to ${mail.to}, ${mail.sentAt}`;
  return `${head}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}:\n${mail.text}`;
}
