/**
 * A permission that a person gives with "always" overrides every rule in OpenCode, denials included, and covers all below
 * the requested directory. One that would allow something denied is therefore given once. Pure.
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

/** Matches as OpenCode does: `*` is any text, slashes included. */
function covers(pattern: string, subject: string): boolean {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll("*", ".*").replaceAll("?", ".")}$`, "s").test(subject);
}
