/** What to ask a person about a request from one program to another, and the row that answers it. Pure. */
import { createHash } from "node:crypto";
import type { SystemRowType } from "./inbox-note.ts";
import type { InboxRow, ParsedRow, RowForm, SystemRow } from "./row.ts";

/** `message`: work for the agent. `request`: needs an answer. `news`: only shown. */
export function kindOfSystemRow(type: SystemRowType): "message" | "request" | "news" {
  switch (type) {
    case "task_assignment":
      return "message";
    case "permission_request":
    case "shutdown_request":
    case "plan_approval_request":
      return "request";
    default:
      return "news";
  }
}

const maxTitle = 300;

/** The tool that a request is about; null if it names none. */
export function requestedTool({ type, data }: SystemRow): { tool: string | null; input: unknown } {
  if (type !== "permission_request") return { tool: null, input: null };
  return { tool: textIn(data, "tool_name", "toolName", "tool") ?? null, input: data.input ?? data.tool_input ?? null };
}

function textIn(data: SystemRow["data"], ...names: string[]): string | undefined {
  return names
    .map((name) => data[name])
    .find((value): value is string => typeof value === "string" && value.trim() !== "");
}

/** On one line. */
export function requestTitle(system: SystemRow): string {
  const { type, data } = system;
  const text = (...names: string[]) => textIn(data, ...names);
  const title = (() => {
    switch (type) {
      case "permission_request": {
        const { tool, input } = requestedTool(system);
        const what = text("description") ?? (input === null ? "" : JSON.stringify(input));
        return `may it use ${tool ?? "a tool"}? ${what}`;
      }
      case "shutdown_request":
        return `asks to shut this member down. ${text("reason") ?? ""}`;
      default:
        return `asks for approval of a plan. ${text("planContent", "plan", "summary") ?? ""}`;
    }
  })();
  return title.replaceAll(/\s+/g, " ").trim().slice(0, maxTitle);
}

/** The row that reports a person's decision to the requester. The same answer always yields the same row. */
export function responseRow(
  { id, system }: ParsedRow & { system: SystemRow },
  from: string,
  isApproved: boolean,
  form: RowForm,
  at: number,
): InboxRow {
  const timestamp = new Date(at).toISOString();
  const text = JSON.stringify(responseTo(system, from, isApproved, form, timestamp));
  const key = hashOf(id);
  const common = { from, text, timestamp, read: false, messageId: responseKey(id) };
  if (form === "classic") return common;
  const uuid = `${key.slice(0, 8)}-${key.slice(8, 12)}-8${key.slice(13, 16)}-8${key.slice(17, 20)}-${key.slice(20, 32)}`;
  return { ...common, msgV: 1, msg_id: uuid, type: "message" };
}

/** The key that finds the answer to a request. */
export function responseKey(requestRowId: string): string {
  return `response-${hashOf(requestRowId).slice(0, 32)}`;
}

function hashOf(requestRowId: string): string {
  return createHash("sha256").update(`waybill-response-v1\0${requestRowId}`).digest("hex");
}

const refusal = "A person refused it.";

function responseTo(
  { type, requestId }: SystemRow,
  from: string,
  isApproved: boolean,
  form: RowForm,
  timestamp: string,
) {
  switch (type) {
    case "permission_request":
      return isApproved
        ? { type: "permission_response", request_id: requestId, subtype: "success", response: {} }
        : { type: "permission_response", request_id: requestId, subtype: "error", error: refusal };
    case "shutdown_request":
      if (form === "session") {
        return isApproved
          ? { type: "shutdown_approved", requestId, from, timestamp }
          : { type: "shutdown_rejected", requestId, from, reason: refusal, timestamp };
      }
      return {
        ...{ type: "shutdown_response", requestId, from, approve: isApproved, timestamp },
        ...(isApproved ? {} : { reason: refusal }),
      };
    default:
      return {
        ...{ type: "plan_approval_response", requestId, from, approved: isApproved, timestamp },
        ...(isApproved ? {} : { feedback: refusal }),
      };
  }
}
