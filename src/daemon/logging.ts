/** The daemon's log: lines of JSON, or readable lines on a terminal. Secrets are redacted. */
import type { Logger } from "pino";
import { pino } from "pino";
import pretty from "pino-pretty";

export type { Logger };

const secretNames = ["token", "password", "apiKey", "authorization", "cookie", "telegramBotToken", "piAgentApiKey"];

/** Fields for programs, which would only fill a person's screen. */
const hiddenOnTerminals = [
  ...["pid", "event", "teamName", "memberName", "runId", "runtimeSessionId", "responseState", "nextAttemptAt"],
  ...["visibleReplyCorrelation", "visibleReplySemanticallySufficient", "deliveryId", "payloadHash"],
];

export type LogOptions = {
  level: string;
  /** Readable lines instead of JSON. */
  terminal: boolean;
  coloured: boolean;
  stream?: NodeJS.WritableStream;
};

export function createLogger({ level, terminal, coloured, stream = process.stdout }: LogOptions): Logger {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: "[secret]" },
  };
  if (!terminal) return pino(options, stream);
  const format = { translateTime: "SYS:HH:MM:ss", singleLine: true, ignore: hiddenOnTerminals.join(",") };
  return pino(options, pretty({ destination: stream, colorize: coloured, ...format }));
}
