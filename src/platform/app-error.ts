/**
 * The one error class for problems that a person or another program can act on.
 * `code` is stable and documented; `hint` says what to do next. Anything else that is thrown is a bug.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: string;
  readonly hint: string | undefined;
  readonly retryable: boolean;

  constructor(input: { code: string; message: string; hint?: string; retryable?: boolean; cause?: unknown }) {
    super(input.message, input.cause === undefined ? undefined : { cause: input.cause });
    this.code = input.code;
    this.hint = input.hint;
    this.retryable = input.retryable ?? false;
  }
}

/** What was asked for cannot be done in the present state. */
export function notPossible(message: string, hint: string): AppError {
  return new AppError({ code: "not_possible", message, hint });
}

/** The result of a call; null if it is refused with this code, or without one, if it is refused for good. */
export async function nullIfRefused<T>(call: Promise<T>, code?: string): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof AppError && (code === undefined ? !error.retryable : error.code === code)) return null;
    throw error;
  }
}

/** The message of anything thrown, as one short line without a stack. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split("\n")[0] ?? "").slice(0, 300);
}
