/**
 * The body of a prompt. Accepts text and files. Refuses anything that would be lost, unless it has no effect, such as
 * `tools` that are all allowed. Pure.
 */
import { z } from "zod";
import { AppError } from "../../../../platform/app-error.ts";
import type { RuntimeState } from "../../../../service/service.ts";
import { notServed } from "../../refused-routes.ts";
import { refuseVariant } from "../new-session.ts";

const part = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), ignored: z.boolean().optional() }),
  z.object({
    type: z.literal("file"),
    mime: z.string(),
    url: z.string(),
    filename: z.string().optional(),
    /** How the text names the file, if it does. */
    source: z.object({ text: z.object({ value: z.string() }).optional() }).optional(),
  }),
  z.object({ type: z.literal("agent"), name: z.string() }),
  z.object({ type: z.literal("subtask"), prompt: z.string() }),
]);

export const promptBody = z.object({
  messageID: z
    .string()
    .regex(/^msg_[A-Za-z0-9_]+$/, 'Expected a string of letters and digits that starts with "msg_"')
    .max(128)
    .optional(),
  model: z.object({ providerID: z.string().min(1).max(64), modelID: z.string().min(1).max(200) }).optional(),
  agent: z.string().min(1).max(128).optional(),
  noReply: z.boolean().optional(),
  tools: z.record(z.string(), z.boolean()).optional(),
  format: z.object({ type: z.string() }).optional(),
  system: z.string().optional(),
  variant: z.string().optional(),
  parts: z.array(part),
});

export type PromptBody = z.output<typeof promptBody>;
type PromptPart = PromptBody["parts"][number];

/** Files are handled separately (file-parts.ts). May be empty if there are files. */
export function promptBodyText(body: PromptBody): string {
  const texts = body.parts.flatMap((one) => (one.type === "text" && one.ignored !== true ? [one.text] : []));
  const text = texts.join("\n\n");
  refuseUnserved(body);
  if (text.trim() !== "" || body.parts.some(({ type }) => type === "file")) return text;
  throw new AppError({ code: "invalid_request", message: 'The message has no text\n  at ["parts"]' });
}

/** The body's addition to the agent's instructions; blank text is ignored. */
export function promptSystem({ system = "" }: PromptBody): { system?: string } {
  return system.trim() === "" ? {} : { system };
}

/** Throws if the runtime cannot pass it on. */
export function refuseSystem(runtime: string, runtimes: readonly Pick<RuntimeState, "kind" | "takesSystem">[]): void {
  if (runtimes.find(({ kind }) => kind === runtime)?.takesSystem !== false) return;
  const hint = "Say it in the message; `systemPromptPath` in Waybill's configuration sets one for all agents.";
  throw notServed(`A prompt for "${runtime}" cannot have its own instructions (\`system\`).`, hint);
}

function refuseUnserved(body: PromptBody): void {
  for (const one of body.parts) refusePart(one);
  refuseVariant(body.variant);
  if (body.noReply === true) {
    throw notServed("Waybill does not deliver messages without a reply (`noReply`).", "Leave it out.");
  }
  const off = Object.entries(body.tools ?? {}).find(([, allowed]) => !allowed);
  if (off) {
    const hint = "Set it in the agent program's own configuration.";
    throw notServed(`Waybill cannot disable the agent's tool "${off[0]}" (\`tools\`).`, hint);
  }
  if (body.format !== undefined && body.format.type !== "text") {
    const hint = "Ask for the format in the message, and leave `format` out.";
    throw notServed(`Waybill cannot enforce a format for the answer (\`${body.format.type}\`).`, hint);
  }
}

function refusePart(one: PromptPart): void {
  switch (one.type) {
    case "text":
    case "file":
      return;
    case "agent":
    case "subtask":
      throw notServed(`A message cannot call another agent (a part of type "${one.type}").`, "Ask for it in words.");
    default:
      one satisfies never;
  }
}
