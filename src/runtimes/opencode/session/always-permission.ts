/**
 * A permission that a person grants with "always" overrides every rule in OpenCode, including denials, and covers
 * everything below the requested directory. If that would allow something denied, it is granted only once. Pure.
 */
import type { PermissionRequest } from "../server/opencode-api.ts";
import type { PermissionRule } from "./permission-policy.ts";

export function allowsDenied(
  { permission, always }: Pick<PermissionRequest, "permission" | "always">,
  rules: readonly PermissionRule[],
): boolean {
  const denied = rules.filter((rule) => rule.action === "deny" && rule.permission === permission);
  return denied.some((rule) => always.some((pattern) => covers(pattern, rule.pattern)));
}

/** Matches like OpenCode: `*` is any text, including slashes. */
function covers(pattern: string, subject: string): boolean {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll("*", ".*").replaceAll("?", ".")}$`, "s").test(subject);
}
