/**
 * The one error class for what a person or a program outside can do something about.
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

/** What an unknown thrown value says, in one short line, without its stack. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split("\n")[0] ?? "").slice(0, 300);
}
