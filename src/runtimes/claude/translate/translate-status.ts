/** What the program says of itself, as items of a turn. Pure. */
import type { Said } from "../../../core/turn/signal.ts";
import type { Json } from "../../json-fields.ts";
import { asList, asObject, asText } from "../../json-fields.ts";

/** Outputs of hooks can be very long. */
const longest = 20_000;

export function statusSays(line: Json, name: string, failed = hasFailed(line)): Said[] {
  const { type, subtype, uuid, session_id, parent_tool_use_id, ...value } = line;
  const id = asText(uuid) ?? `${name}:${JSON.stringify(value)}`.slice(0, 200);
  const what = { event: asText(subtype) ?? asText(type), ...value };
  const text = JSON.stringify(what);
  const told = text.length <= longest ? what : { event: what.event, cut: text.slice(0, longest) };
  return [{ type: "status", id, name, value: told, ...(failed ? { failed } : {}) }];
}

/** Tool servers that an agent has to do without: the one thing in `system/init` that a reader of events cannot know. */
export function missingServers(line: Json): Json[] {
  const servers = asList(line.mcp_servers).map((one) => asObject(one) ?? {});
  return servers.filter(({ status }) => status === "failed" || status === "needs-auth");
}

function hasFailed({ outcome, status, error, isError, subtype }: Json): boolean {
  if (subtype === "api_retry") return false;
  return outcome === "error" || status === "failed" || isError === true || (error !== undefined && error !== null);
}
