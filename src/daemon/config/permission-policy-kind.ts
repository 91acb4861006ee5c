/** The kind of `permissionPolicy`: one of two words, or a table in OpenCode's own form. */
import { z } from "zod";
import type { PermissionPolicy, PermissionTable } from "../../runtimes/opencode/session/permission-policy.ts";
import type { Kind } from "./kinds.ts";

const words = "`safe`, `trusted`, or a table of `ask`, `allow` and `deny` as OpenCode's own `permission`";
const action = z.enum(["ask", "allow", "deny"]);
const table = z.record(z.string(), z.union([action, z.record(z.string(), action)])) as z.ZodType<PermissionTable>;

export const permissionPolicy: Kind<PermissionPolicy> = {
  words,
  schema: z.union([z.enum(["safe", "trusted"], `must be ${words}`), table]),
  fromText: (text) => text.trim(),
};
