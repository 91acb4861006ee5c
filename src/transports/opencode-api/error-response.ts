/**
 * Errors as OpenCode's clients read them: `{name, data: {message}}`, and `{_tag, message}` under its newer `/api`.
 * Status and code are those of Waybill's own API (docs/api.md). The hint is appended to the message: these clients have
 * no field for it.
 */
import type { Context } from "hono";
import { AppError } from "../../platform/app-error.ts";
import { headersOf, isFault, statusOf, toAppError } from "../http/errors.ts";
import { openCodePath } from "./opencode-path.ts";

const passwordHeader = { "WWW-Authenticate": 'Basic realm="Waybill", charset="UTF-8"' };

const names: Partial<Record<number, string>> = {
  400: "BadRequest",
  401: "UnauthorizedError",
  404: "NotFoundError",
};

const tags: Partial<Record<number, string>> = {
  400: "InvalidRequestError",
  401: "UnauthorizedError",
  403: "ForbiddenError",
  404: "NotFoundError",
  409: "ConflictError",
  503: "ServiceUnavailableError",
};

export function answerOpenCodeError(c: Context, thrown: unknown, report: (error: unknown) => void): Response {
  const error = toAppError(thrown);
  const { code } = error;
  const status = statusOf(error);
  if (isFault(error, status)) report(thrown);
  const message = textOfError(error);
  const body = c.req.path.startsWith(`${openCodePath}/api/`)
    ? { _tag: tags[status] ?? "UnknownError", message, code }
    : { name: names[status] ?? "UnknownError", data: { message, code } };
  return c.json(body, status, { ...headersOf(status), ...(status === 401 ? passwordHeader : {}) });
}

export function textOfError({ message, hint }: AppError): string {
  return hint === undefined ? message : `${message} ${hint}`;
}

export function notServed(message: string, hint: string): AppError {
  return new AppError({ code: "not_served", message, hint });
}

export function sessionUnknown(sessionID: string): AppError {
  return new AppError({ code: "session_unknown", message: `Session not found: ${sessionID}` });
}

export function messageUnknown(messageID: string): AppError {
  return new AppError({ code: "message_unknown", message: `Message not found: ${messageID}` });
}
