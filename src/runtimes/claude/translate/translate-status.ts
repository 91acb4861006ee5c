/** Translates the program's status lines to items of a turn. Pure. */
import type { SignalBody } from "../../../core/turn/signal.ts";
import type { Json } from "../../json-fields.ts";
import { asList, asObject, asText } from "../../json-fields.ts";

/** The output of hooks can be very long. */
const maxLength = 20_000;

export function statusSignal(line: Json, name: string, failed = hasFailed(line)): SignalBody {
  const { type, subtype, uuid, session_id, parent_tool_use_id, ...value } = line;
  const id = asText(uuid) ?? `${name}:${JSON.stringify(value)}`.slice(0, 200);
  const all = { event: asText(subtype) ?? asText(type), ...value };
  const text = JSON.stringify(all);
  const shown = text.length <= maxLength ? all : { event: all.event, cut: text.slice(0, maxLength) };
  return { type: "status", id, name, value: shown, ...(failed ? { failed } : {}) };
}

/** Tool servers that are unavailable to the agent: the only part of `system/init` that no other event shows. */
export function missingServers(line: Json): Json[] {
  const servers = asList(line.mcp_servers).map((one) => asObject(one) ?? {});
  return servers.filter(({ status }) => status === "failed" || status === "needs-auth");
}

function hasFailed({ outcome, status, error, isError, subtype }: Json): boolean {
  if (subtype === "api_retry") return false;
  return outcome === "error" || status === "failed" || isError === true || (error !== undefined && error !== null);
}
