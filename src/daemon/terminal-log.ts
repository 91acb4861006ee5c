/** The daemon's log as readable lines, for a terminal. Apart, since a daemon without a terminal does not load it. */
import pretty from "pino-pretty";

/** Fields for programs, which would only fill a person's screen. */
const hidden = [
  ...["pid", "event", "teamName", "memberName", "runId", "runtimeSessionId", "responseState", "nextAttemptAt"],
  ...["visibleReplyCorrelation", "visibleReplySemanticallySufficient", "deliveryId", "payloadHash"],
];

export type TerminalLogOptions = { coloured: boolean; stream: NodeJS.WritableStream };

/** Takes lines of JSON, and writes them to the stream as a person reads them. */
export function terminalLog({ coloured, stream }: TerminalLogOptions): NodeJS.WritableStream {
  const format = { translateTime: "SYS:HH:MM:ss", singleLine: true, ignore: hidden.join(",") };
  return pretty({ destination: stream, colorize: coloured, ...format });
}
