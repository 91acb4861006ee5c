/**
 * The rules that a client gives a new session. Waybill has no rules of its own for a session: what an agent may do is
 * decided by its program's settings and by people. So only those are taken that make no difference to what the agent
 * does by itself; a client that believes something to be forbidden must not be deceived.
 *
 * - `allow` is passed over: the agent asks once more than the client wanted.
 * - `deny` of questions, and of the tools with which OpenCode's plan mode begins and ends, comes from `opencode run`,
 *   which cannot answer any. It holds while that client waits (`refuse-questions.ts`).
 * - Everything else is refused.
 */
import { z } from "zod";
import { AppError } from "../../../app-error.ts";

export const permissionRules = z.array(
  z.object({ permission: z.string(), pattern: z.string(), action: z.enum(["allow", "deny", "ask"]) }),
);

const askedOfPeople = ["question", "plan_enter", "plan_exit"];

type Rules = z.output<typeof permissionRules>;

export function deniesQuestions(rules: Rules = []): boolean {
  return rules.some(({ permission, action }) => permission === "question" && action === "deny");
}

export function refuseRules(rules: Rules = []): void {
  const strict = rules.find(
    ({ permission, action }) => action !== "allow" && !(action === "deny" && askedOfPeople.includes(permission)),
  );
  if (!strict) return;
  throw new AppError({
    code: "not_served",
    message: `Waybill cannot hold a session to the rule "${strict.action} ${strict.permission} ${strict.pattern}".`,
    hint: "Set it in the agent program's own configuration.",
  });
}
