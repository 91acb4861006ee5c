/**
 * Errors as OpenCode's clients read them: `{name, data: {message}}`, and `{_tag, message}` under its newer `/api`. The
 * status and the code are those of Waybill's own API (docs/api.md), and the message holds the hint, which they have no
 * field for.
 */
import type { Context } from "hono";
import type { AppError } from "../../app-error.ts";
import { headersOf, statusOf, toAppError } from "../http/errors.ts";
import { openCodePath } from "./opencode-address.ts";

export type NativeError = { name: string; data: { message: string; code: string } };
export type NativeApiError = { _tag: string; message: string; code: string };

export function answerInOpenCodeWords(c: Context, thrown: unknown, report: (error: unknown) => void): Response {
  const error = toAppError(thrown);
  const status = statusOf(error);
  if (status >= 500 && status !== 501) report(thrown);
  const body = c.req.path.startsWith(`${openCodePath}/api/`) ? apiErrorOf(error) : nativeErrorOf(error);
  return c.json(body, status, { ...headersOf(status), ...(status === 401 ? askForPassword : {}) });
}

export function nativeErrorOf(error: AppError): NativeError {
  return { name: nameByStatus[statusOf(error)] ?? "UnknownError", data: { message: wordsOf(error), code: error.code } };
}

export function apiErrorOf(error: AppError): NativeApiError {
  return { _tag: tagByStatus[statusOf(error)] ?? "UnknownError", message: wordsOf(error), code: error.code };
}

const askForPassword = { "WWW-Authenticate": 'Basic realm="Waybill", charset="UTF-8"' };

const nameByStatus: Partial<Record<number, string>> = {
  400: "BadRequest",
  401: "UnauthorizedError",
  404: "NotFoundError",
};

const tagByStatus: Partial<Record<number, string>> = {
  400: "InvalidRequestError",
  401: "UnauthorizedError",
  403: "ForbiddenError",
  404: "NotFoundError",
  409: "ConflictError",
  503: "ServiceUnavailableError",
};

function wordsOf({ message, hint }: AppError): string {
  return hint === undefined ? message : `${message} ${hint}`;
}
