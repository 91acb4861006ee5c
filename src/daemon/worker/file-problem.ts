/** A file that a start cannot read or write, as in a read-only home, is a problem for a person and not a crash. */
import { AppError } from "../../platform/app-error.ts";

const notAllowed = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR", "EISDIR"]);

export function fileProblem(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error;
  const { code = "", path, syscall } = error as NodeJS.ErrnoException;
  // Listening on a port fails with the same codes, but without a path.
  if (!notAllowed.has(code) || path === undefined || syscall === undefined) return error;
  return new AppError({
    code: "home_unusable",
    message: `${path} cannot be used (${code}).`,
    hint: "Waybill keeps its state there. Make it readable and writable by this user, or set WAYBILL_HOME to another directory.",
    cause: error,
  });
}
