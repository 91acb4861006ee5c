import { packageFile } from "../platform/package-files.ts";

/** The program that this process runs, to start it again as another command. */
export function ownProgram(): string {
  return process.argv[1] ?? packageFile("bin/waybill");
}
