/** The member's token: from a file, which no process list or log shows, or from the environment. */
import { readFileSync } from "node:fs";
import { AppError } from "../../platform/app-error.ts";
import { expandPath } from "../../platform/home.ts";

export function memberToken(file: string | undefined, env: NodeJS.ProcessEnv): string {
  const path = file ?? (env.WAYBILL_MCP_TOKEN_FILE || undefined);
  const token = path === undefined ? env.WAYBILL_MCP_TOKEN?.trim() : readToken(expandPath(path, process.cwd(), env));
  if (token) return token;
  throw new AppError({
    code: "no_token",
    message: path === undefined ? "No member token was given." : `There is no token in ${path}.`,
    hint: "Give the path of the token file with --token-file PATH or WAYBILL_MCP_TOKEN_FILE.",
  });
}

function readToken(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (cause) {
    throw new AppError({
      code: "no_token",
      message: `The token file ${path} cannot be read (${(cause as NodeJS.ErrnoException).code}).`,
      hint: "Check the path, and that this user may read it.",
      cause,
    });
  }
}
