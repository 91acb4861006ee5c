/** A new session is a new lane: its settings, its agent, and the permission rules that its client may send. */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Lane } from "../../../core/lane/lane.ts";
import type { LaneSettings } from "../../../service/service.ts";
import { notServed } from "../error-response.ts";
import { defaultAgent, defaultModel } from "../workspace/catalog.ts";

/**
 * The permission rules that a client sends for a new session. Waybill has no rules for single sessions: the program's
 * settings and people decide what an agent may do. So only rules that restrict nothing are accepted; a client must not
 * be led to believe that something is forbidden.
 *
 * - `allow` is ignored: the agent may ask once more than the client wanted.
 * - `deny` for questions, and for the tools that enter and leave OpenCode's plan mode, comes from `opencode run`, which
 *   cannot answer questions. It applies while that client waits (`refuseQuestions`).
 * - Everything else is refused.
 */
export const permissionRulesBody = z.array(
  z.object({ permission: z.string(), pattern: z.string(), action: z.enum(["allow", "deny", "ask"]) }),
);

const deniable = ["question", "plan_enter", "plan_exit"];

type Rules = z.output<typeof permissionRulesBody>;

export const newSessionBody = z.object({
  parentID: z.string().optional(),
  title: z.string().max(200).optional(),
  agent: z.string().min(1).max(128).optional(),
  model: z
    .object({
      id: z.string().min(1).max(200),
      providerID: z.string().min(1).max(64),
      variant: z.string().optional(),
    })
    .optional(),
  permission: permissionRulesBody.optional(),
});

const prefix = "oc-";

/** Whether a client of this API created the lane. */
export function isClientsLane(id: string): boolean {
  return id.startsWith(prefix);
}

export function newLaneId(): string {
  return `${prefix}${randomBytes(5).toString("hex")}`;
}

type NewSession = { settings: LaneSettings; notice: string | null };

/** `defaultRuntime` is used if the body names no runtime. */
export function laneFor(body: z.output<typeof newSessionBody>, directory: string, defaultRuntime: string): NewSession {
  refuseRules(body.permission);
  if (body.parentID !== undefined) {
    throw notServed("Only agents create child sessions, not clients.", "Leave out `parentID`.");
  }
  refuseVariant(body.model?.variant);
  const runtime = body.model?.providerID ?? null;
  const { agent, notice } = newAgent(body.agent, runtime ?? defaultRuntime);
  const settings: LaneSettings = {
    id: newLaneId(),
    displayName: body.title?.trim() || null,
    team: null,
    member: null,
    runtime,
    directory,
    agent,
    model: body.model === undefined || body.model.id === defaultModel ? null : body.model.id,
    contract: "text",
  };
  return { settings, notice };
}

function newAgent(named: string | undefined, runtime: string): NativeAgentChoice {
  if (named === undefined || named === defaultAgent) return { agent: null, notice: null };
  return isNativeAgent(named) ? nativeAgent(named, { runtime, agent: null }) : { agent: named, notice: null };
}

export function refuseVariant(variant: string | undefined): void {
  if (variant === undefined || variant === "default") return;
  throw notServed(`Waybill's models have no variants, but "${variant}" was requested.`, "Choose a model without one.");
}

/**
 * `build` and `plan`: the two agents that every OpenCode has, and which its clients send to any server. A lane whose
 * program has them switches; any other keeps its own agent.
 */
const [build, plan] = ["build", "plan"];
/** The runtime whose program has them. */
const runtimeWithThem = "opencode";

export function isNativeAgent(name: string): boolean {
  return name === build || name === plan;
}

/** `notice` explains why the lane does not use the named agent. */
type NativeAgentChoice = { agent: string | null; notice: string | null };

/** `build` is OpenCode's default agent. A custom agent is never replaced by one of these. */
export function nativeAgent(name: string, { runtime, agent }: Pick<Lane, "runtime" | "agent">): NativeAgentChoice {
  if (agent !== null && !isNativeAgent(agent)) {
    return { agent, notice: `This session uses a custom agent, so "${name}" was ignored.` };
  }
  if (name === build) return { agent: null, notice: null };
  if (runtime === runtimeWithThem) return { agent: name, notice: null };
  return {
    agent,
    notice: `This session's program has no agent "${name}": its own agent is used, and it may change files.`,
  };
}

export function deniesQuestions(rules: Rules = []): boolean {
  return rules.some(({ permission, action }) => permission === "question" && action === "deny");
}

export function refuseRules(rules: Rules = []): void {
  const strict = rules.find(
    ({ permission, action }) => action !== "allow" && !(action === "deny" && deniable.includes(permission)),
  );
  if (!strict) return;
  throw notServed(
    `Waybill cannot enforce the rule "${strict.action} ${strict.permission} ${strict.pattern}".`,
    "Set it in the agent program's own configuration.",
  );
}
