/** Everything that this library throws, except the reason of an aborted signal. */

export class WaybillError extends Error {
  override readonly name = "WaybillError";
  /** Stable: the daemon's own code, or `no_daemon`, `connection_lost`, `no_answer`, `unexpected_answer`. */
  readonly code: string;
  /** What to do next. */
  readonly hint: string | undefined;
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;

  constructor(input: { code: string; message: string; hint?: string | undefined; status?: number; cause?: unknown }) {
    super(input.message, input.cause === undefined ? undefined : { cause: input.cause });
    this.code = input.code;
    this.hint = input.hint;
    this.status = input.status ?? 0;
  }
}

/** Errors that may pass in a moment: the daemon restarts, or cannot do it now. */
export function isTransient(error: unknown): error is WaybillError {
  if (!(error instanceof WaybillError)) return false;
  return error.status === 0 ? error.code !== "unexpected_answer" : [502, 503, 504].includes(error.status);
}

/** Transient errors after which it is certain that the request was not executed. */
export function wasNotExecuted(error: unknown): error is WaybillError {
  return isTransient(error) && (error.code === "no_daemon" || error.status === 503);
}

/** The daemon lets its turns finish before it exits, which takes longer than a restart and has its own time limit. */
export function isDraining(error: unknown): boolean {
  return error instanceof WaybillError && error.code === "draining";
}

/** Turns an error of `fetch` without an answer into words. */
export function connectionError(cause: unknown, url: string): WaybillError {
  if (cause instanceof WaybillError) return cause;
  const codes = codesOf(cause);
  if (codes.includes("TimeoutError")) {
    return new WaybillError({ code: "no_answer", message: `The daemon at ${url} does not answer.`, cause });
  }
  // Browsers do not say why; nearly always nothing listens there.
  if (codes.length === 0 || codes.some((code) => ["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH"].includes(code))) {
    return new WaybillError({
      code: "no_daemon",
      message: `No daemon answers at ${url}.`,
      hint: "Start it with `waybill up`.",
      cause,
    });
  }
  return new WaybillError({
    code: "connection_lost",
    message: `The connection to the daemon at ${url} was lost (${codes.join(", ")}).`,
    cause,
  });
}

/** Node.js hides the reason in causes, and the reasons for several addresses in an aggregate. */
function codesOf(error: unknown): string[] {
  if (typeof error !== "object" || error === null) return [];
  const { name, code, cause, errors } = error as { name?: string; code?: unknown; cause?: unknown; errors?: unknown };
  const own = typeof code === "string" ? [code] : name === "TimeoutError" || name === "SyntaxError" ? [name] : [];
  const inner = Array.isArray(errors) ? errors.flatMap(codesOf) : [];
  return [...new Set([...own, ...inner, ...codesOf(cause)])];
}
