/** The shape of a message. Admission checks it, and the HTTP API and its OpenAPI document are derived from it. */
import { z } from "zod";
import {
  actionModes,
  maxAttachments,
  maxCharacters,
  maxSystemBytes,
  messageIdPattern,
  replyOutcomes,
  sources,
} from "../core/message/message.ts";

export const nameSchema = z.string().trim().min(1).max(128);

const messageId = z.string().regex(messageIdPattern, "must be 1 to 128 of A-Z a-z 0-9 . _ : -");
const taskRef = z.strictObject({ id: nameSchema, team: nameSchema.optional(), title: z.string().max(500).optional() });
export const attachmentSchema = z.strictObject({
  id: nameSchema,
  name: z.string().min(1).max(255),
  mimeType: z.string().min(1).max(255),
  size: z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER),
});

export const addressSchema = z.union(
  [
    z.strictObject({ lane: nameSchema }),
    z.strictObject({ team: nameSchema, member: nameSchema }),
    z.strictObject({ person: nameSchema }),
  ],
  { error: 'must be {"lane": …}, {"team": …, "member": …} or {"person": …}' },
);

export const newMessageSchema = z.strictObject({
  id: messageId.meta({ description: "Chosen by the sender, so that sending twice is safe." }),
  to: addressSchema,
  from: nameSchema,
  text: z
    .string()
    .regex(/\S/, "must not be empty")
    .max(maxCharacters, `must not be longer than ${maxCharacters} characters`),
  system: z
    .string()
    .regex(/^[^\0]*$/, "must not contain a NUL character")
    .refine((text) => Buffer.byteLength(text) <= maxSystemBytes, `must not be larger than ${maxSystemBytes / 1024} KiB`)
    .optional(),
  summary: z.string().max(1000).optional(),
  actionMode: z.enum(actionModes).optional(),
  taskRefs: z.array(taskRef).max(100).optional(),
  relayOfMessageId: messageId.optional(),
  outcome: z
    .enum(replyOutcomes, `must be one of ${replyOutcomes.join(", ")}`)
    .optional()
    .meta({ description: "What kind of reply this is, according to its sender." }),
  attachments: z.array(attachmentSchema).max(maxAttachments).optional(),
  replyTo: z
    .union([nameSchema, addressSchema])
    .optional()
    .meta({ description: "Who gets the answer; the sender by default. A plain name means a person." }),
  conversation: nameSchema.optional(),
  source: z.enum(sources).optional(),
  expiresAt: z.number().int().positive().optional(),
});
export type NewMessage = z.input<typeof newMessageSchema>;
