/** The daemon's log as readable lines for a terminal. In its own file, since a daemon without a terminal does not load it. */
import pretty from "pino-pretty";

/** Fields for programs, which would only clutter a terminal. */
const hidden = [
  ...["pid", "event", "teamName", "memberName", "runId", "runtimeSessionId", "responseState", "nextAttemptAt"],
  ...["visibleReplyCorrelation", "visibleReplySemanticallySufficient", "deliveryId", "payloadHash"],
];

const controls = /[\p{Cc}\u2028\u2029]/gu;

export type TerminalLogOptions = { coloured: boolean; stream: NodeJS.WritableStream };

/** Takes lines of JSON, and writes them to the stream as readable text. */
export function terminalLog({ coloured, stream }: TerminalLogOptions): NodeJS.WritableStream {
  const format = { translateTime: "SYS:HH:MM:ss", singleLine: true, ignore: hidden.join(",") };
  return pretty({ destination: stream, colorize: coloured, messageFormat: message, ...format });
}

/** Clients also log: a line break in their text must not start a line that looks like Waybill's own. */
function message(log: Record<string, unknown>, key: string): string {
  return String(log[key] ?? "").replaceAll(
    controls,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
