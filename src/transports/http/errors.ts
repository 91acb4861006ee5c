/**
 * Errors as responses: `{error: {code, message, hint?}}` with the status of the code. Anything but an `AppError` is a bug:
 * the log gets all of it, the client nothing.
 */
import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { AppError } from "../../app-error.ts";
import type { errorSchema } from "./schemas.ts";

export type ErrorBody = z.output<typeof errorSchema>;

/** As docs/api.md lists them. */
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

/** Headers that belong to a status, whatever the code. */
export function headersOf(status: number): Record<string, string> {
  if (status === 401) return { "WWW-Authenticate": "Bearer" };
  return status === 503 ? { "Retry-After": "5" } : {};
}

export function answerError(c: Context, thrown: unknown, report: (error: unknown) => void): Response {
  const error = toAppError(thrown);
  const status = statusOf(error);
  if (status >= 500) report(thrown);
  return c.json(errorBody(error), status, headersOf(status));
}

export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof HTTPException && thrown.status === 400) return malformedJson();
  if (thrown instanceof HTTPException && thrown.status === 415) return wrongMediaType();
  return new AppError({
    code: "internal",
    message: "Something went wrong in Waybill.",
    hint: "Its log says what.",
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
    message: "Bodies are taken as JSON only.",
    hint: "Send it with `Content-Type: application/json` and without a content encoding.",
  });
}

type Issue = { path: readonly PropertyKey[]; message: string };

/** One line that names the first field that is wrong. */
export function invalidRequest(target: string, issues: readonly Issue[]): AppError {
  const [issue] = issues;
  const where = issue?.path.join(".") || (target === "json" ? "body" : target);
  const what = (issue?.message ?? "not valid").replaceAll(/\s+/g, " ").slice(0, 300);
  return new AppError({
    code: "invalid_request",
    message: `The request was not taken: ${where}: ${what}.`,
    hint: "GET /openapi.json describes what can be sent.",
  });
}
