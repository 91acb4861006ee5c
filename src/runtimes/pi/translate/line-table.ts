/**
 * The rule for each kind of line that pi prints in RPC mode. The names come from its documentation and from recorded
 * streams (0.73.1). An unknown line becomes `unparsed`, so that new kinds of lines in later versions do not go
 * unnoticed.
 */
import type { Json } from "../../json-fields.ts";
import { asObject, asText } from "../../json-fields.ts";
import type { LineRule, LineRules } from "../../process-pool/signal-publisher.ts";
import { ruleFor, sameRule } from "../../process-pool/signal-publisher.ts";

const redundant = { ignore: "other lines report it" };

export const piEventTable: LineRules = {
  ...sameRule("translate", "", "response agent_start agent_end message_update compaction_end"),
  ...sameRule("translate", "", "auto_retry_start auto_retry_end tool_execution_update tool_execution_end"),
  "message_start/user": "translate",
  "message_end/assistant": "translate",
  ...sameRule("translate", "extension_ui_request/", "select confirm input editor notify"),
  "message_end/custom": { status: "note" },
  compaction_start: { status: "compacting" },
  extension_error: { status: "extension_error" },
  ...sameRule(redundant, "", "turn_start turn_end tool_execution_start"),
  ...sameRule(redundant, "message_start/", "assistant toolResult custom"),
  ...sameRule(redundant, "message_end/", "user toolResult"),
  queue_update: { ignore: "Waybill queues prompts itself" },
  session_info_changed: { ignore: "the session's name" },
  thinking_level_changed: { ignore: "a setting; the model's reasoning itself is reported" },
  ...sameRule({ ignore: "about a screen" }, "extension_ui_request/", "setStatus setWidget setTitle set_editor_text"),
};

/** The name of a line in the table. */
export function eventName(line: Json): string {
  const type = asText(line.type) ?? "";
  if (type === "message_start" || type === "message_end")
    return `${type}/${asText(asObject(line.message)?.role) ?? ""}`;
  return type === "extension_ui_request" ? `${type}/${asText(line.method) ?? ""}` : type;
}

export function eventRule(line: Json): LineRule | null {
  return ruleFor(piEventTable, eventName(line));
}
