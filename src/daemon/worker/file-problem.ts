/** What a start meets that may not be read or written, such as a home that became read-only, is for a person and no crash. */
import { AppError } from "../../app-error.ts";

const notAllowed = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR", "EISDIR"]);

export function fileProblem(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error;
  const { code = "", path, syscall } = error as NodeJS.ErrnoException;
  // Listening on a port fails with the same codes, and without a path.
  if (!notAllowed.has(code) || path === undefined || syscall === undefined) return error;
  return new AppError({
    code: "home_unusable",
    message: `${path} cannot be used (${code}).`,
    hint: "Waybill keeps its state there. Make it readable and writable for this user, or set WAYBILL_HOME to another directory.",
    cause: error,
  });
}
