/**
 * The rule for each kind of line that Claude Code prints: for every `type`, every `subtype` of `system`, and every kind
 * of stream event. The names come from recorded streams and from the program itself (2.1.325). An unknown line becomes
 * `unparsed`, so that new kinds of lines in later versions do not go unnoticed.
 */
import type { Json } from "../../json-fields.ts";
import { asObject, asText } from "../../json-fields.ts";
import type { LineRule, LineRules } from "../../process-pool/signal-publisher.ts";
import { ruleFor, sameRule } from "../../process-pool/signal-publisher.ts";

const redundant = { ignore: "other lines report it" };
const userInterface = { ignore: "about the program's windows and connections, not about the agent's work" };
const bookkeeping = { ignore: "about the program's own bookkeeping of the session" };

const system = (rule: LineRule, names: string) => sameRule(rule, "system/", names);
const systemStatus = (status: string, names: string) => system({ status }, names);

export const lineTable: LineRules = {
  ...sameRule("translate", "", "user assistant result command_lifecycle control_cancel_request"),
  "control_request/can_use_tool": "translate",
  control_response: { ignore: "a response to our request, or an echo of our response" },
  keep_alive: { ignore: "carries no information" },
  tool_progress: { ignore: "reports only that time passes" },
  prompt_suggestion: { ignore: "a suggestion for a person to type" },
  ...sameRule(redundant, "", "transcript_mirror streamlined_text streamlined_tool_use_summary"),
  rate_limit_event: { status: "rate_limit" },
  tool_use_summary: { status: "summary" },
  auth_status: { status: "auth" },
  conversation_reset: { status: "session" },

  ...sameRule("translate", "stream_event/", "message_start message_delta message_stop"),
  "stream_event/content_block_stop": { ignore: "the complete block was already reported" },
  "stream_event/ping": { ignore: "carries no information" },
  "stream_event/error": { status: "stream_error" },
  ...sameRule("translate", "stream_event/content_block_start/", "text thinking tool_use server_tool_use mcp_tool_use"),
  "stream_event/content_block_start/redacted_thinking": { ignore: "unreadable" },
  ...sameRule("translate", "stream_event/content_block_delta/", "text_delta thinking_delta input_json_delta"),
  "stream_event/content_block_delta/signature_delta": { ignore: "a signature of the reasoning, for the provider" },
  "stream_event/content_block_delta/citations_delta": { ignore: "the source of a text that is itself reported" },

  ...system("translate", "init status"),
  ...systemStatus("compaction", "compact_boundary"),
  ...systemStatus("retry", "api_retry api_error"),
  ...systemStatus("hook", "hook_started hook_progress hook_response stop_hook_summary"),
  ...systemStatus("task", "task_started task_progress task_updated task_summary task_notification"),
  ...systemStatus("task", "scheduled_task_fire background_tasks_changed agents_killed"),
  ...systemStatus("command", "local_command local_command_output"),
  ...systemStatus("notice", "informational notification instruction_size_warning file_attachments_missing"),
  ...systemStatus("notice", "peer_message_hold mirror_error session_writes_lost"),
  ...systemStatus("model", "model_fallback model_refusal_fallback model_refusal_no_fallback model_consent_fallback"),
  ...systemStatus("permission_denied", "permission_denied"),
  ...systemStatus("permission_retry", "permission_retry"),
  ...systemStatus("memory", "memory_saved memory_recall"),
  ...systemStatus("plugin", "plugin_install"),
  ...systemStatus("published", "code_change_published"),
  ...systemStatus("preempted", "turn_preempted"),
  "system/thinking_tokens": { ignore: "an estimate; the message's usage has the exact number" },
  "system/worker_shutting_down": { ignore: "the end of the process reports it" },
  ...system(redundant, "session_state_changed turn_starting turn_began_before_init turn_duration thinking"),
  ...system(redundant, "post_turn_summary away_summary control_request_progress elicitation_complete"),
  ...system(redundant, "inherited_asks_settled permission_check_status tool_host_result"),
  ...system(bookkeeping, "session_title_changed session_metadata commands_changed per_turn_effort_changed"),
  ...system(
    bookkeeping,
    "file_snapshot files_persisted checkpoint_done rewind_stand_in vcs_state_changed start_folder",
  ),
  ...system(userInterface, "feedback_draft_queued dev_intent placed bridge_status voice_call_talk"),
  ...system(userInterface, "upgrade_relay_marker turn_handoff_available cloud_session_delta cloud_session_status"),
  ...system(userInterface, "ui_focus ui_invalidate ui_log ui_notify ui_notify_cancel ui_panes ui_placed ui_scroll"),
  ...system(userInterface, "ui_status ui_toast"),
};

/** The name of a line in the table. */
export function lineName(line: Json): string {
  const type = asText(line.type) ?? "";
  if (type === "system") return `system/${asText(line.subtype) ?? ""}`;
  if (type === "control_request") return `${type}/${asText(asObject(line.request)?.subtype) ?? ""}`;
  if (type !== "stream_event") return type;
  const event = asObject(line.event) ?? {};
  const kind = asText(event.type) ?? "";
  const inner = kind === "content_block_start" ? event.content_block : kind === "content_block_delta" && event.delta;
  return ["stream_event", kind, ...(inner ? [asText(asObject(inner)?.type) ?? ""] : [])].join("/");
}

export function lineRule(line: Json): LineRule | null {
  return ruleFor(lineTable, lineName(line));
}
