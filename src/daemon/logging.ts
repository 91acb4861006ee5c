/** The daemon's log: lines of JSON. Secrets are redacted. */
import type { Logger } from "pino";
import { pino } from "pino";

export type { Logger };

const secretNames = ["token", "password", "apiKey", "authorization", "cookie", "telegramBotToken", "piAgentApiKey"];

export type LogOptions = { level: string; stream: NodeJS.WritableStream };

export function createLogger({ level, stream }: LogOptions): Logger {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: "[secret]" },
  };
  return pino(options, stream);
}
