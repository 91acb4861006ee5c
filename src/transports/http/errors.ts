/**
 * Errors as responses: `{error: {code, message, hint?}}` with the status of the code. Anything but an `AppError` is a bug:
 * its details go to the log, never to the client.
 */
import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { AppError } from "../../platform/app-error.ts";
import type { errorSchema } from "./schemas.ts";

export type ErrorBody = z.output<typeof errorSchema>;

/** docs/api.md lists the same codes. */
export const codesByStatus: Partial<Record<ContentfulStatusCode, readonly string[]>> = {
  400: [
    "invalid_request",
    "malformed_json",
    "malformed_request",
    "message_invalid",
    "attachment_mismatch",
    "lane_invalid",
    "name_invalid",
    "member_invalid",
    "team_directory_invalid",
    "cursor_invalid",
    "directory_missing",
    "runtime_unknown",
  ],
  401: ["unauthorized"],
  403: ["host_not_allowed", "origin_not_allowed", "directory_not_allowed", "path_not_allowed"],
  404: [
    "not_found",
    "lane_unknown",
    "delivery_unknown",
    "message_unknown",
    "message_gone",
    "attachment_unknown",
    "team_unknown",
    "member_unknown",
    "ask_unknown",
    "session_unknown",
  ],
  405: ["method_not_allowed"],
  408: ["request_timeout"],
  409: [
    "message_conflict",
    "message_ambiguous",
    "attachments_not_supported",
    "lane_in_use",
    "lane_taken",
    "directory_taken",
    "team_directory_in_use",
    "not_possible",
    "session_in_use",
    "session_other_directory",
    "session_is_subtask",
    "config_invalid",
  ],
  413: ["too_large", "attachment_too_large"],
  415: ["unsupported_media_type"],
  431: ["headers_too_large"],
  501: ["not_served"],
  503: [
    "draining",
    "program_replaced",
    "runtime_unavailable",
    "inbox_unwritable",
    "store_closed",
    "store_unwritable",
    "store_locked",
    "store_unavailable",
    "store_corrupt",
    "store_replaced",
  ],
};

const statusByCode = new Map(
  Object.entries(codesByStatus).flatMap(([status, codes]) =>
    codes.map((code) => [code, Number(status) as ContentfulStatusCode] as const),
  ),
);

/** A code without a status is our fault, not the client's. */
export function statusOf(error: AppError): ContentfulStatusCode {
  return statusByCode.get(error.code) ?? (error.retryable ? 503 : 500);
}

export function errorBody({ code, message, hint }: AppError): ErrorBody {
  return { error: { code, message, ...(hint === undefined ? {} : { hint }) } };
}

/** Not for what is refused by design: work for a daemon that drains, and routes that Waybill does not serve. */
export function isFault({ code }: AppError, status: number): boolean {
  return status >= 500 && code !== "draining" && code !== "not_served";
}

/** Headers that belong to a status, whatever the code. */
export function headersOf(status: number): Record<string, string> {
  if (status === 401) return { "WWW-Authenticate": "Bearer" };
  return status === 503 ? { "Retry-After": "5" } : {};
}

export function answerError(c: Context, thrown: unknown, report: (error: unknown) => void): Response {
  const error = toAppError(thrown);
  const status = statusOf(error);
  if (isFault(error, status)) report(thrown);
  return c.json(errorBody(error), status, headersOf(status));
}

export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof HTTPException && thrown.status === 400) return malformedJson();
  if (thrown instanceof HTTPException && thrown.status === 415) return wrongMediaType();
  return new AppError({
    code: "internal",
    message: "Internal error in Waybill.",
    hint: "See Waybill's log for details.",
    cause: thrown,
  });
}

export function malformedJson(): AppError {
  return new AppError({
    code: "malformed_json",
    message: "The body is not JSON.",
    hint: "Send one JSON object in UTF-8.",
  });
}

export function wrongMediaType(): AppError {
  return new AppError({
    code: "unsupported_media_type",
    message: "Only JSON bodies are accepted.",
    hint: "Send it with `Content-Type: application/json` and without a content encoding.",
  });
}

type Issue = { path: readonly PropertyKey[]; message: string };

/** One line that names the first invalid field. */
export function invalidRequest(target: string, issues: readonly Issue[]): AppError {
  const [issue] = issues;
  const where = issue?.path.join(".") || (target === "json" ? "body" : target);
  const what = (issue?.message ?? "not valid").replaceAll(/\s+/g, " ").slice(0, 300);
  return new AppError({
    code: "invalid_request",
    message: `Invalid request: ${where}: ${what}.`,
    hint: "GET /openapi.json describes the request format.",
  });
}
