/**
 * What becomes of each line that pi is known to print in RPC mode. The names stand in its documentation and were seen in
 * recorded streams (0.73.1). A line that is not in the table is told as `unparsed`, so that a new version cannot bring
 * one that nobody hears of.
 */
import type { Json } from "../../json-fields.ts";
import { asObject, asText } from "../../json-fields.ts";

/** `said`: it is translated. `status`: it becomes an item of this name. `silent`: it is not told, and why. */
export type Becomes = "said" | { status: string } | { silent: string };

const elsewhere = { silent: "other lines say it" };
const screen = { silent: "about a screen that nobody looks at" };

export const eventTable: Readonly<Record<string, Becomes>> = {
  response: "said",
  agent_start: "said",
  agent_end: "said",
  turn_start: elsewhere,
  turn_end: elsewhere,
  "message_start/user": "said",
  "message_start/assistant": elsewhere,
  "message_start/toolResult": elsewhere,
  "message_start/custom": elsewhere,
  "message_end/user": elsewhere,
  "message_end/assistant": "said",
  "message_end/toolResult": elsewhere,
  "message_end/custom": { status: "note" },
  message_update: "said",
  tool_execution_start: elsewhere,
  tool_execution_update: "said",
  tool_execution_end: "said",
  queue_update: { silent: "Waybill queues outside" },
  compaction_start: { status: "compacting" },
  compaction_end: "said",
  auto_retry_start: "said",
  auto_retry_end: "said",
  session_info_changed: { silent: "the session's name, which is nobody's answer" },
  thinking_level_changed: { silent: "how hard the model thinks; what it thinks is said" },
  extension_error: { status: "extension_error" },
  "extension_ui_request/select": "said",
  "extension_ui_request/confirm": "said",
  "extension_ui_request/input": "said",
  "extension_ui_request/editor": "said",
  "extension_ui_request/notify": "said",
  "extension_ui_request/setStatus": screen,
  "extension_ui_request/setWidget": screen,
  "extension_ui_request/setTitle": screen,
  "extension_ui_request/set_editor_text": screen,
};

/** Under which name a line stands in the table. */
export function eventName(line: Json): string {
  const type = asText(line.type) ?? "";
  if (type === "message_start" || type === "message_end")
    return `${type}/${asText(asObject(line.message)?.role) ?? ""}`;
  return type === "extension_ui_request" ? `${type}/${asText(line.method) ?? ""}` : type;
}

export function becomes(line: Json): Becomes | null {
  const name = eventName(line);
  return Object.hasOwn(eventTable, name) ? (eventTable[name] ?? null) : null;
}
