/**
 * The rules that a client gives a new session. Waybill has no rules of its own for a session: the program's settings and
 * people decide what an agent may do. So only rules are taken that change nothing about what the agent does by itself;
 * a client that believes something to be forbidden must not be deceived.
 *
 * - `allow` is ignored: the agent asks once more than the client wanted.
 * - `deny` of questions, and of the tools with which OpenCode's plan mode begins and ends, comes from `opencode run`,
 *   which cannot answer any. It holds while that client waits (`refuse-questions.ts`).
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
    `Waybill cannot hold a session to the rule "${strict.action} ${strict.permission} ${strict.pattern}".`,
    "Set it in the agent program's own configuration.",
  );
}
