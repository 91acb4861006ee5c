/**
 * Rows that carry a message from one program to another: their text is JSON with a `type`. A task assignment is work
 * for an agent; all others are news or requests, and never become prompts. Pure.
 */

export const systemRowTypes = [
  "idle_notification",
  "shutdown_request",
  "shutdown_approved",
  "shutdown_rejected",
  "shutdown_response",
  "permission_request",
  "permission_response",
  "plan_approval_request",
  "plan_approval_response",
  "task_assignment",
] as const;
export type SystemRowType = (typeof systemRowTypes)[number];

export type SystemRow = {
  type: SystemRowType;
  /** The id that an answer has to name. */
  requestId: string | null;
  /** All other fields. */
  data: Readonly<Record<string, unknown>>;
};

/** Null for text written by people or agents, and for JSON of an unknown type. */
export function systemRowIn(text: string): SystemRow | null {
  const trimmed = text.trim();
  if (!trimmed.startsWith("{") || !trimmed.endsWith("}")) return null;
  const data = objectIn(trimmed);
  const type = systemRowTypes.find((one) => one === data?.type);
  if (!data || type === undefined) return null;
  const requestId = data.requestId ?? data.request_id;
  return { type, requestId: typeof requestId === "string" ? requestId : null, data };
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}

/** Whether the sender has agreed to be shut down. */
export function isShutdownApproval({ type, data }: SystemRow): boolean {
  return type === "shutdown_approved" || (type === "shutdown_response" && (data.approve ?? data.approved) === true);
}
