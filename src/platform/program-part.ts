/**
 * Loads parts of the program on first use. By then their files may be missing, because an update replaces the files of
 * a running daemon.
 */
import { AppError } from "./app-error.ts";

export async function programPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
    throw new AppError({
      code: "program_replaced",
      message: "A part of Waybill cannot be loaded because its files were replaced while it was running.",
      hint: "Run `waybill restart`.",
      cause: error,
    });
  }
}
