/**
 * The permission rules that a client sends for a new session. Waybill has no rules for single sessions: the program's
 * settings and people decide what an agent may do. So only rules that restrict nothing are accepted; a client must not
 * be led to believe that something is forbidden.
 *
 * - `allow` is ignored: the agent may ask once more than the client wanted.
 * - `deny` for questions, and for the tools that enter and leave OpenCode's plan mode, comes from `opencode run`, which
 *   cannot answer questions. It applies while that client waits (`refuse-questions.ts`).
 * - Everything else is refused.
 */
import { z } from "zod";
import { notServed } from "../refused-routes.ts";

export const permissionRulesBody = z.array(
  z.object({ permission: z.string(), pattern: z.string(), action: z.enum(["allow", "deny", "ask"]) }),
);

const deniable = ["question", "plan_enter", "plan_exit"];

type Rules = z.output<typeof permissionRulesBody>;

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
