/**
 * Waybill's extension inside pi, which has no permission system of its own. It asks a person before tools that the
 * policy does not allow, gives the agent Waybill's own tools and one for questions, ends a turn that calls its model
 * too often, and records failures that pi does not. A refusal without a reason ends the turn, so that the agent does
 * not look for another way to do what a person refused.
 *
 * pi loads this file into its own process, so it imports only Node and files that import nothing else. An error that it
 * throws before a tool is used blocks that tool.
 */
import { homedir } from "node:os";
import type { GateAsk, GateNotification, GateRules } from "./gate-protocol.ts";
import {
  decisions,
  failedEntry,
  gateStatus,
  grantedEntry,
  missingToolsStatus,
  refusedEntry,
  rejectionReason,
  rulesVariable,
  stepLimitEntry,
  stepLimitMessage,
  unreportedFailure,
} from "./gate-protocol.ts";
import { OwnTools } from "./own-tools.ts";
import type { PiApi, PiContext, PiTool, ToolCallEvent } from "./pi-api.ts";
import { realPath } from "./real-path.ts";
import type { GateCall } from "./tool-policy.ts";
import { checkToolCall, grantOf } from "./tool-policy.ts";

const refusal = "A person refused this.";

export default function gate(pi: PiApi): void {
  const rules = JSON.parse(process.env[rulesVariable] ?? "") as GateRules;
  const granted = new Set<string>();
  const ownTools = new OwnTools(pi, rules.toolsPath ?? null);
  let steps = 0;
  let areToolsMissing = false;

  const refuse = (call: string, ctx: PiContext) => {
    pi.appendEntry(refusedEntry, { call });
    ctx.abort();
    return refusal;
  };

  pi.on("session_start", (_event, ctx) => {
    for (const { customType, data } of ctx.sessionManager.getEntries()) {
      if (customType === grantedEntry) granted.add((data as { grant: string }).grant);
    }
    // Not earlier: pi would not start if another extension has a tool with this name. Here the first extension wins.
    pi.registerTool(question(refuse));
    ctx.ui.setStatus(gateStatus.key, gateStatus.text);
    // In the background: pi starts without the tools, and the first turn waits briefly for them.
    void ownTools.register();
  });

  pi.on("before_agent_start", async (_event, ctx) => {
    steps = 0;
    const wereMissing = areToolsMissing;
    areToolsMissing = !(await ownTools.register());
    if (areToolsMissing !== wereMissing) ctx.ui.setStatus(missingToolsStatus, areToolsMissing ? "missing" : undefined);
  });

  pi.on("context", (_event, ctx) => {
    steps += 1;
    if (steps <= rules.maxSteps || ctx.signal?.aborted === true) return;
    const notification: GateNotification = { waybill: "step-limit", steps: rules.maxSteps };
    pi.appendEntry(stepLimitEntry, { steps: rules.maxSteps, message: stepLimitMessage(rules.maxSteps) });
    ctx.ui.notify(JSON.stringify(notification), "error");
    ctx.abort();
  });

  pi.on("agent_end", (event, ctx) => {
    const entries = ctx.sessionManager.getEntries();
    const failure = unreportedFailure(event, ({ timestamp }) =>
      entries.some((one) => one.message?.timestamp === timestamp),
    );
    if (failure) pi.appendEntry(failedEntry, { message: failure });
  });

  pi.on("tool_call", async ({ toolCallId, toolName, input }: ToolCallEvent, ctx) => {
    // Once a person has refused one call of a message, do not ask about the others.
    if (ctx.signal?.aborted) return { block: true, reason: "The turn was stopped." };
    if (toolName === questionTool || ownTools.has(toolName)) return undefined;
    const call: GateCall = { tool: toolName, input };
    const decided = checkToolCall(call, { rules, directory: ctx.cwd, home: homedir(), realPath, granted });
    if (decided.verdict === "pass") return undefined;
    if (decided.verdict === "deny") return { block: true, reason: decided.reason };
    const ask: GateAsk = { waybill: "permission", call: toolCallId, ...call };
    const decision = await ctx.ui.select(JSON.stringify(ask), decisions, { signal: ctx.signal });
    if (ctx.signal?.aborted) return { block: true, reason: "The turn was stopped." };
    if (decision === "once") return undefined;
    const reason = rejectionReason(decision);
    if (reason !== null) return { block: true, reason: `${refusal} ${reason}` };
    if (decision !== "always") return { block: true, reason: refuse(toolCallId, ctx) };
    granted.add(grantOf(call));
    pi.appendEntry(grantedEntry, { grant: grantOf(call) });
    return undefined;
  });
}

const questionTool = "question";

function question(refuse: (call: string, ctx: PiContext) => string): PiTool {
  return {
    name: questionTool,
    label: "Question",
    description:
      "Ask the person you work for one or more questions, each with options to choose from, and wait for the answers.",
    parameters: questionParameters,
    async execute(call, input, signal, _onUpdate, ctx) {
      const ask: GateAsk = { waybill: "question", call, input };
      const answer = await ctx.ui.input(JSON.stringify(ask), undefined, { signal });
      if (signal?.aborted) throw new Error("The turn was stopped.");
      if (answer === undefined) throw new Error(refuse(call, ctx));
      return { content: [{ type: "text", text: answer }], details: {} };
    },
  };
}

const questionParameters = {
  type: "object",
  required: ["questions"],
  properties: {
    questions: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["question"],
        properties: {
          question: { type: "string", description: "The whole question." },
          header: { type: "string", description: "A word or two that say what it is about." },
          options: {
            type: "array",
            items: {
              type: "object",
              required: ["label"],
              properties: { label: { type: "string" }, description: { type: "string" } },
            },
          },
          multiple: { type: "boolean", description: "Whether several options may be chosen." },
        },
      },
    },
  },
};
