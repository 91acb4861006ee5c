/**
 * Chooses the answer to a call. Pure: the request itself shows how far its turn is, because the id of every tool call
 * contains its rule and step. So sessions cannot be confused, and a restart forgets only which rules and steps were
 * used.
 */
import { knownErrors } from "./known-errors.ts";
import type { ModelRequest } from "./model-request.ts";
import type { HttpError, ModelScript, ModelStep } from "./script.ts";
import { matchPattern, modelStepSchema } from "./script.ts";

export type RequestKind = "turn" | "title" | "other";

export type Answer = Omit<ModelStep, "error" | "tools"> & {
  error?: HttpError;
  tools: { id: string; name: string; input: Record<string, unknown> }[];
};

export type ChosenAnswer = { kind: RequestKind; rule: number | null; step: number; answer: Answer };

/** Whether a rule has begun a turn, or one of its steps has answered a call. Rule null is `otherwise`. */
export type IsUsed = (rule: number | null, step?: number) => boolean;

const emptyStep = modelStepSchema.parse({});

export function chooseAnswer(
  script: ModelScript,
  request: ModelRequest,
  isUsed: IsUsed,
  randomId: () => string,
): ChosenAnswer {
  const kind = kindOf(request);
  if (kind !== "turn") {
    const { step, groups } = kind === "title" ? { step: script.title, groups: [] } : smallStep(script, request);
    return { kind, rule: null, step: 0, answer: answerFrom(step, request, groups, () => `call_${randomId()}`) };
  }
  const { rule, groups, position } = ruleOfTurn(script, request, isUsed);
  const steps = rule === null ? script.otherwise : (script.rules[rule]?.steps ?? []);
  const unused = steps.findIndex((step, index) => index >= position && !(step.once && isUsed(rule, index)));
  const step = unused === -1 ? Math.max(position, steps.length) : unused;
  const callId = () => `call_${rule ?? "x"}_${step}_${randomId()}`;
  return { kind, rule, step, answer: answerFrom(steps[step] ?? emptyStep, request, groups, callId) };
}

function kindOf({ tools, system, prompt }: ModelRequest): RequestKind {
  // For a summary, Claude Code also offers its tools, but forbids them in the prompt.
  if (tools.length > 0) return /^CRITICAL: Respond with TEXT ONLY/m.test(prompt) ? "other" : "turn";
  return /title generator|generate a (brief |short |concise )?title|-word title/i.test(`${system}\n${prompt}`)
    ? "title"
    : "other";
}

function smallStep(script: ModelScript, { system, prompt }: ModelRequest): { step: ModelStep; groups: string[] } {
  for (const { when, step } of script.small) {
    const groups = matchPattern(when, `${system}\n${prompt}`);
    if (groups) return { step, groups };
  }
  return { step: modelStepSchema.parse({ say: "A scripted summary: there is nothing to add." }), groups: [] };
}

function ruleOfTurn(script: ModelScript, request: ModelRequest, isUsed: IsUsed) {
  const begun = request.callIds.map((id) => /^call_(x|\d+)_(\d+)_/.exec(id)).find((match) => match !== null);
  if (begun) {
    const rule = begun[1] === "x" ? null : Number(begun[1]);
    const groups = rule === null ? [] : script.rules[rule] && matchPattern(script.rules[rule].when, request.prompt);
    // A script that was replaced mid-turn may have another rule at this index.
    if (groups) return { rule, groups, position: Number(begun[2]) + 1 };
  }
  for (const [rule, { when, once }] of script.rules.entries()) {
    const groups = once && isUsed(rule) ? null : matchPattern(when, request.prompt);
    if (groups) return { rule, groups, position: request.answered };
  }
  return { rule: null, groups: [], position: request.answered };
}

function answerFrom(
  { error, ...step }: ModelStep,
  request: ModelRequest,
  groups: readonly string[],
  callId: () => string,
): Answer {
  const fill = (text: string) =>
    text.replace(/\{\{(text|result|\d)\}\}/g, (_whole, name: string) => {
      if (name === "text") return request.prompt;
      return name === "result" ? request.result : (groups[Number(name)] ?? "");
    });
  return {
    ...step,
    ...(step.think === undefined ? {} : { think: fill(step.think) }),
    ...(step.say === undefined ? {} : { say: fill(step.say) }),
    ...(error === undefined ? {} : { error: typeof error === "string" ? knownErrors[error] : error }),
    tools: step.tools.map(({ tool, input }) => ({
      id: callId(),
      name: offeredName(tool, request.tools),
      input: fillDeep(input, fill) as Record<string, unknown>,
    })),
  };
}

/** The tool with that name, or the shortest that ends with it: programs prefix a tool with its server's name. */
function offeredName(name: string, offered: readonly string[]): string {
  if (offered.includes(name)) return name;
  const [shortest] = offered.filter((one) => one.endsWith(name)).sort((a, b) => a.length - b.length);
  return shortest ?? name;
}

function fillDeep(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === "string") return fill(value);
  if (Array.isArray(value)) return value.map((one) => fillDeep(one, fill));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fillDeep(one, fill)]));
}
