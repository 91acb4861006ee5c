/**
 * Rows that carry a message of one program to another: their text is JSON with a `type`. An assignment of a task is work for
 * an agent; the others are news or requests, and never become prompts. Pure.
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
  /** What an answer has to name. */
  requestId: string | null;
  /** What else it says. */
  data: Readonly<Record<string, unknown>>;
};

/** Null for a text that people or agents have written; also for JSON of a type that is not known. */
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

/** Whether the one who sent it has agreed to be shut down. */
export function isShutdownApproval({ type, data }: SystemRow): boolean {
  return type === "shutdown_approved" || (type === "shutdown_response" && (data.approve ?? data.approved) === true);
}
