/** The names of Waybill's own tools for agents, as its MCP server offers them. Agents are allowed exactly these. */
export const ownTools = [
  "message_send",
  "message_list",
  "message_wait",
  "member_briefing",
  "team_list",
  "notify_person",
  "runtime_bootstrap_checkin",
  "runtime_heartbeat",
] as const;
