/** The errors that Telegram returns to a bot. */
import type { ResponseParameters } from "grammy/types";

export class BotApiError extends Error {
  readonly code: number;
  readonly parameters: ResponseParameters | undefined;

  constructor(code: number, description: string, parameters?: ResponseParameters) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

export const badRequest = (reason: string) => new BotApiError(400, `Bad Request: ${reason}`);
export const forbidden = (reason: string) => new BotApiError(403, `Forbidden: ${reason}`);
export const conflict = (reason: string) => new BotApiError(409, `Conflict: ${reason}`);
export const tooManyRequests = (seconds: number) =>
  new BotApiError(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
export const methodNotFound = () => new BotApiError(404, "Not Found: method not found");
export const unauthorized = () => new BotApiError(401, "Unauthorized");
