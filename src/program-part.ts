/**
 * Parts of the program that a running daemon loads when they are first needed. By then their files may be gone: an update
 * replaces those of a program that runs.
 */
import { AppError } from "./app-error.ts";

export async function programPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
    throw new AppError({
      code: "program_replaced",
      message: "A part of Waybill cannot be loaded, because its files were replaced while it ran.",
      hint: "Run `waybill restart`.",
      cause: error,
    });
  }
}
