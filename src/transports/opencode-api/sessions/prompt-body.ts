/**
 * What a prompt asks for: its text, and how it changes the title, model and agent of its lane. Refuses anything that
 * would be lost, unless it has no effect, such as `tools` that are all allowed. Pure.
 */
import { z } from "zod";
import type { Lane, LaneChange } from "../../../core/lane/lane.ts";
import type { Source } from "../../../core/message/message.ts";
import { AppError } from "../../../platform/app-error.ts";
import type { RuntimeState } from "../../../service/service.ts";
import { notServed } from "../error-response.ts";
import { sessionSettings } from "../projection/session-view.ts";
import { defaultAgent, defaultModel } from "../workspace/catalog.ts";
import { isClientsLane, isNativeAgent, nativeAgent, refuseVariant } from "./new-session.ts";

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

/** The source of prompts from OpenCode's clients. */
export const promptSource: Source = "ui";

export type PromptBody = z.output<typeof promptBody>;

/** Files are handled separately (prompt-files.ts). May be empty if there are files. */
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

function refusePart(one: PromptBody["parts"][number]): void {
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

type Runtimes = readonly Pick<RuntimeState, "kind" | "isDefault">[];

/** `notice` reports what was ignored. */
type PromptChoice = { change: LaneChange; notice: string | null };

/**
 * How a prompt's model and agent change its lane. Each runtime is a provider. Another model of the lane's own runtime
 * applies from this message on. Another runtime is accepted only by a lane that a client created, and only before its
 * first message: a session cannot move to another program. `default` leaves the lane unchanged, and so does an agent,
 * unless it is one of OpenCode's own two.
 *
 * OpenCode's terminal names a model with every prompt; in a session without messages, the default for new sessions. No
 * person chose that, so it does not move a lane. Throws if the lane cannot change this way.
 */
export function promptChoice(
  { model, agent }: Pick<PromptBody, "model" | "agent">,
  lane: Lane,
  isUsed: boolean,
  runtimes: Runtimes,
): PromptChoice {
  refuseOtherAgent(sessionSettings(lane).agent, agent);
  const change = modelChange(model, lane, isUsed, runtimes);
  if (agent === undefined || !isNativeAgent(agent)) return { change, notice: null };
  const choice = nativeAgent(agent, { ...lane, ...change });
  return { change: choice.agent === lane.agent ? change : { ...change, agent: choice.agent }, notice: choice.notice };
}

function modelChange(model: PromptBody["model"], lane: Lane, isUsed: boolean, runtimes: Runtimes): LaneChange {
  if (model === undefined) return {};
  const named = model.modelID === defaultModel ? null : model.modelID;
  if (model.providerID === lane.runtime) return named === null ? {} : { model: named };
  const runtime = runtimes.find(({ kind }) => kind === model.providerID);
  if (!runtime) throw runtimeUnknown(model.providerID);
  const isOwn = isClientsLane(lane.id);
  if (!isOwn && named === null && runtime.isDefault) return {};
  if (isOwn && !isUsed) return { runtime: runtime.kind, model: named, agent: null };
  throw new AppError({
    code: "not_possible",
    message: `This session belongs to "${lane.runtime}" and cannot move to "${model.providerID}".`,
    hint: `Choose a model of "${lane.runtime}", or start a new session.`,
  });
}

/** Accepts a known runtime that is not ready: messages to its lanes wait for it. */
export function refuseUnknownRuntime(runtimes: Runtimes, providerID: string | undefined): void {
  if (providerID === undefined || runtimes.some(({ kind }) => kind === providerID)) return;
  throw runtimeUnknown(providerID);
}

function runtimeUnknown(providerID: string): AppError {
  return new AppError({
    code: "runtime_unknown",
    message: `Unknown provider "${providerID}": Waybill's providers are its runtimes.`,
    hint: "GET /provider lists them.",
  });
}

function refuseOtherAgent(own: string, named: string | undefined): void {
  if (named === undefined || named === own || named === defaultAgent || isNativeAgent(named)) return;
  throw new AppError({
    code: "invalid_request",
    message: `This session uses the agent "${own}" and cannot switch to "${named}".`,
    hint: "Leave `agent` out, or start a session with that agent.",
  });
}

const maxTitle = 60;

/**
 * The default title of a client's session: the beginning of its first prompt. No model generates it. Null for a session
 * that has a title.
 */
export function defaultTitle({ id, displayName }: Pick<Lane, "id" | "displayName">, text: string): string | null {
  const line = text.trim().split("\n")[0]?.replace(/\s+/g, " ").trim() ?? "";
  if (displayName !== null || !isClientsLane(id) || line === "") return null;
  return line.length <= maxTitle ? line : `${line.slice(0, maxTitle - 1).trimEnd()}…`;
}
