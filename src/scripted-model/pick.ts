/**
 * Which answer a call gets. Pure: the request says where its turn stands, because every tool call that was handed out
 * carries the rule and the step that it came from in its id. So sessions cannot be confused, and a restart forgets
 * nothing but what was used up.
 */
import type { Asked } from "./asked.ts";
import { knownErrors } from "./known-errors.ts";
import type { HttpError, Script, Step } from "./script.ts";
import { matchOf, stepSchema } from "./script.ts";

export type Kind = "turn" | "title" | "other";

export type Answer = Omit<Step, "error" | "tools"> & {
  error?: HttpError;
  tools: { id: string; name: string; input: Record<string, unknown> }[];
};

export type Picked = { kind: Kind; rule: number | null; step: number; answer: Answer };

/** Whether a rule has begun a turn, or one of its steps has answered a call. A rule of null is `otherwise`. */
export type UsedUp = (rule: number | null, step?: number) => boolean;

const empty = stepSchema.parse({});

export function pick(script: Script, asked: Asked, isUsed: UsedUp, randomId: () => string): Picked {
  const kind = kindOf(asked);
  if (kind !== "turn") {
    const { step, groups } = kind === "title" ? { step: script.title, groups: [] } : smallStep(script, asked);
    return { kind, rule: null, step: 0, answer: answerFrom(step, asked, groups, () => `call_${randomId()}`) };
  }
  const { rule, groups, position } = turnOf(script, asked, isUsed);
  const steps = rule === null ? script.otherwise : (script.rules[rule]?.steps ?? []);
  const left = steps.findIndex((step, index) => index >= position && !(step.once && isUsed(rule, index)));
  const step = left === -1 ? Math.max(position, steps.length) : left;
  const callId = () => `call_${rule ?? "x"}_${step}_${randomId()}`;
  return { kind, rule, step, answer: answerFrom(steps[step] ?? empty, asked, groups, callId) };
}

function kindOf({ tools, system, prompt }: Asked): Kind {
  // Claude Code offers its tools also where it wants a summary, and forbids them in words.
  if (tools.length > 0) return /^CRITICAL: Respond with TEXT ONLY/m.test(prompt) ? "other" : "turn";
  return /title generator|generate a (brief |short |concise )?title|-word title/i.test(`${system}\n${prompt}`)
    ? "title"
    : "other";
}

function smallStep(script: Script, { system, prompt }: Asked): { step: Step; groups: string[] } {
  for (const { when, step } of script.small) {
    const groups = matchOf(when, `${system}\n${prompt}`);
    if (groups) return { step, groups };
  }
  return { step: stepSchema.parse({ say: "A scripted summary: there is nothing to add." }), groups: [] };
}

function turnOf(script: Script, asked: Asked, isUsed: UsedUp) {
  const begun = asked.callIds.map((id) => /^call_(x|\d+)_(\d+)_/.exec(id)).find((match) => match !== null);
  if (begun) {
    const rule = begun[1] === "x" ? null : Number(begun[1]);
    const position = Number(begun[2]) + 1;
    const groups = rule === null ? [] : script.rules[rule] && matchOf(script.rules[rule].when, asked.prompt);
    // A script that was exchanged in mid-turn may have another rule in this place.
    if (groups) return { rule, groups, position };
  }
  for (const [rule, { when, once }] of script.rules.entries()) {
    const groups = once && isUsed(rule) ? null : matchOf(when, asked.prompt);
    if (groups) return { rule, groups, position: asked.answered };
  }
  return { rule: null, groups: [], position: asked.answered };
}

function answerFrom({ error, ...step }: Step, asked: Asked, groups: readonly string[], callId: () => string): Answer {
  const fill = (text: string) =>
    text.replace(/\{\{(text|result|\d)\}\}/g, (_whole, name: string) => {
      if (name === "text") return asked.prompt;
      return name === "result" ? asked.result : (groups[Number(name)] ?? "");
    });
  return {
    ...step,
    ...(step.think === undefined ? {} : { think: fill(step.think) }),
    ...(step.say === undefined ? {} : { say: fill(step.say) }),
    ...(error === undefined ? {} : { error: typeof error === "string" ? knownErrors[error] : error }),
    tools: step.tools.map(({ tool, input }) => ({
      id: callId(),
      name: offeredName(tool, asked.tools),
      input: fillDeep(input, fill) as Record<string, unknown>,
    })),
  };
}

/** The tool of that name, else the shortest that ends with it: programs put a server's name in front of its tools. */
function offeredName(name: string, offered: readonly string[]): string {
  if (offered.includes(name)) return name;
  const [first] = offered.filter((one) => one.endsWith(name)).sort((a, b) => a.length - b.length);
  return first ?? name;
}

function fillDeep(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === "string") return fill(value);
  if (Array.isArray(value)) return value.map((one) => fillDeep(one, fill));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fillDeep(one, fill)]));
}
