/** Which program a request comes from, as far as it says so. */
import type { Context } from "hono";
import type { Env } from "../http/env.ts";

/** OpenCode's own program: its terminal, or `opencode run`. */
export function ofOpenCode(c: Context<Env>): boolean {
  return /^opencode\//.test(c.req.header("user-agent") ?? "");
}
