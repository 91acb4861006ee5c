/** The `waybill` command: picks what to run, and turns errors into words and exit codes. */
import { AppError } from "../app-error.ts";

export async function main(args: readonly string[]): Promise<number> {
  try {
    return await run(args);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    process.stderr.write(`waybill: ${error.message}\n${error.hint ? `${error.hint}\n` : ""}`);
    return 1;
  }
}

async function run(args: readonly string[]): Promise<number> {
  process.stderr.write(`waybill: unknown command ${args[0] ?? ""}\n`);
  return 2;
}
