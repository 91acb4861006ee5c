/**
 * What becomes of each line that Claude Code is known to print: of every `type`, every `subtype` of `system`, and every
 * kind of event in a stream. The names were seen in recorded streams or stand in the program (2.1.325). A line that is
 * not in the table is told as `unparsed`, so that a new version cannot bring one that nobody hears of.
 */
import type { Json } from "../../json-fields.ts";
import { asObject, asText } from "../../json-fields.ts";

/** `said`: it is translated. `status`: it becomes an item of this name. `silent`: it is not told, and why. */
export type Becomes = "said" | { status: string } | { silent: string };

const elsewhere = { silent: "other lines say it" };
const place = { silent: "about the program's windows and connections, not about what the agent does" };
const house = { silent: "about the program's own keeping of the session" };

const lines: Record<string, Becomes> = {
  user: "said",
  assistant: "said",
  result: "said",
  command_lifecycle: "said",
  control_cancel_request: "said",
  "control_request/can_use_tool": "said",
  control_response: { silent: "an answer to us, or the echo of an answer of ours" },
  keep_alive: { silent: "says nothing" },
  tool_progress: { silent: "says only that time passes" },
  prompt_suggestion: { silent: "a proposal for what a person could type" },
  transcript_mirror: elsewhere,
  streamlined_text: elsewhere,
  streamlined_tool_use_summary: elsewhere,
  rate_limit_event: { status: "rate_limit" },
  tool_use_summary: { status: "summary" },
  auth_status: { status: "auth" },
  conversation_reset: { status: "session" },
};

const streamEvents: Record<string, Becomes> = {
  "stream_event/message_start": "said",
  "stream_event/message_delta": "said",
  "stream_event/message_stop": "said",
  "stream_event/content_block_stop": { silent: "the whole block has been said" },
  "stream_event/ping": { silent: "says nothing" },
  "stream_event/error": { status: "stream_error" },
  "stream_event/content_block_start/text": "said",
  "stream_event/content_block_start/thinking": "said",
  "stream_event/content_block_start/redacted_thinking": { silent: "nobody can read it" },
  "stream_event/content_block_start/tool_use": "said",
  "stream_event/content_block_start/server_tool_use": "said",
  "stream_event/content_block_start/mcp_tool_use": "said",
  "stream_event/content_block_delta/text_delta": "said",
  "stream_event/content_block_delta/thinking_delta": "said",
  "stream_event/content_block_delta/input_json_delta": "said",
  "stream_event/content_block_delta/signature_delta": { silent: "a signature of thoughts, for the provider" },
  "stream_event/content_block_delta/citations_delta": { silent: "where a text is from; the text is said" },
};

const systemLines: Record<string, Becomes> = {
  "system/init": "said",
  "system/status": "said",
  "system/compact_boundary": { status: "compaction" },
  "system/api_retry": { status: "retry" },
  "system/api_error": { status: "retry" },
  "system/hook_started": { status: "hook" },
  "system/hook_progress": { status: "hook" },
  "system/hook_response": { status: "hook" },
  "system/stop_hook_summary": { status: "hook" },
  "system/task_started": { status: "task" },
  "system/task_progress": { status: "task" },
  "system/task_updated": { status: "task" },
  "system/task_summary": { status: "task" },
  "system/task_notification": { status: "task" },
  "system/scheduled_task_fire": { status: "task" },
  "system/background_tasks_changed": { status: "task" },
  "system/agents_killed": { status: "task" },
  "system/local_command": { status: "command" },
  "system/local_command_output": { status: "command" },
  "system/informational": { status: "notice" },
  "system/notification": { status: "notice" },
  "system/instruction_size_warning": { status: "notice" },
  "system/file_attachments_missing": { status: "notice" },
  "system/peer_message_hold": { status: "notice" },
  "system/mirror_error": { status: "notice" },
  "system/session_writes_lost": { status: "notice" },
  "system/model_fallback": { status: "model" },
  "system/model_refusal_fallback": { status: "model" },
  "system/model_refusal_no_fallback": { status: "model" },
  "system/model_consent_fallback": { status: "model" },
  "system/permission_denied": { status: "permission_denied" },
  "system/permission_retry": { status: "permission_retry" },
  "system/memory_saved": { status: "memory" },
  "system/memory_recall": { status: "memory" },
  "system/plugin_install": { status: "plugin" },
  "system/code_change_published": { status: "published" },
  "system/turn_preempted": { status: "preempted" },
  "system/thinking_tokens": { silent: "a guess at a number that the message's usage gives" },
  "system/session_state_changed": elsewhere,
  "system/turn_starting": elsewhere,
  "system/turn_began_before_init": elsewhere,
  "system/turn_duration": elsewhere,
  "system/thinking": elsewhere,
  "system/post_turn_summary": elsewhere,
  "system/away_summary": elsewhere,
  "system/control_request_progress": elsewhere,
  "system/elicitation_complete": elsewhere,
  "system/inherited_asks_settled": elsewhere,
  "system/permission_check_status": elsewhere,
  "system/tool_host_result": elsewhere,
  "system/session_title_changed": house,
  "system/session_metadata": house,
  "system/commands_changed": house,
  "system/per_turn_effort_changed": house,
  "system/file_snapshot": house,
  "system/files_persisted": house,
  "system/checkpoint_done": house,
  "system/rewind_stand_in": house,
  "system/vcs_state_changed": house,
  "system/start_folder": house,
  "system/worker_shutting_down": { silent: "the end of the process says it" },
  "system/feedback_draft_queued": place,
  "system/dev_intent": place,
  "system/placed": place,
  "system/bridge_status": place,
  "system/voice_call_talk": place,
  "system/upgrade_relay_marker": place,
  "system/turn_handoff_available": place,
  "system/cloud_session_delta": place,
  "system/cloud_session_status": place,
  ...Object.fromEntries(
    ["focus", "invalidate", "log", "notify", "notify_cancel", "panes", "placed", "scroll", "status", "toast"].map(
      (what) => [`system/ui_${what}`, place],
    ),
  ),
};

export const lineTable: Readonly<Record<string, Becomes>> = { ...lines, ...streamEvents, ...systemLines };

/** Under which name a line stands in the table. */
export function lineName(line: Json): string {
  const type = asText(line.type) ?? "";
  if (type === "system") return `system/${asText(line.subtype) ?? ""}`;
  if (type === "control_request") return `${type}/${asText(asObject(line.request)?.subtype) ?? ""}`;
  if (type !== "stream_event") return type;
  const event = asObject(line.event) ?? {};
  const what = asText(event.type) ?? "";
  const inner = what === "content_block_start" ? event.content_block : what === "content_block_delta" && event.delta;
  return ["stream_event", what, ...(inner ? [asText(asObject(inner)?.type) ?? ""] : [])].join("/");
}

export function becomes(line: Json): Becomes | null {
  const name = lineName(line);
  return Object.hasOwn(lineTable, name) ? (lineTable[name] ?? null) : null;
}
