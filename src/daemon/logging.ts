/** The daemon's log: lines of JSON, or words on a terminal. Secrets are cut out wherever they might turn up. */
import type { Logger } from "pino";
import { pino } from "pino";
import pretty from "pino-pretty";

export type { Logger };

const secretNames = ["token", "password", "apiKey", "authorization", "cookie", "telegramBotToken", "piAgentApiKey"];

/** What programs want to know, and what only fills the screen of a person. */
const hiddenOnTerminals = [
  ...["pid", "event", "teamName", "memberName", "runId", "runtimeSessionId", "responseState", "nextAttemptAt"],
  ...["visibleReplyCorrelation", "visibleReplySemanticallySufficient", "deliveryId", "payloadHash"],
];

export type LogOptions = {
  level: string;
  /** Words instead of JSON. */
  terminal: boolean;
  colours: boolean;
  stream?: NodeJS.WritableStream;
};

export function makeLogger({ level, terminal, colours, stream = process.stdout }: LogOptions): Logger {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: "[secret]" },
  };
  if (!terminal) return pino(options, stream);
  return pino(
    options,
    pretty({
      destination: stream,
      colorize: colours,
      ignore: hiddenOnTerminals.join(","),
      translateTime: "SYS:HH:MM:ss",
      singleLine: true,
    }),
  );
}
