/**
 * The directory that a request is about. OpenCode's clients name it in the query, or encoded in a header, or, in the
 * newer API, as a part of a location; one that no lane may have is refused as it would be for a lane.
 */
import type { Context } from "hono";
import { AppError } from "../../app-error.ts";
import type { Service, Workspace } from "../../service/service.ts";
import type { Env } from "../http/env.ts";

/** As it was sent; nothing where the client leaves it to the server. */
export function wantedDirectory(c: Context<Env>): string | undefined {
  const asked = c.req.query("directory") ?? c.req.query("location[directory]") ?? headerDirectory(c);
  return asked === "" ? undefined : asked;
}

export function placeOf(c: Context<Env>, service: Service): Promise<Workspace> {
  return service.workspace(wantedDirectory(c));
}

function headerDirectory(c: Context<Env>): string | undefined {
  const header = c.req.header("x-opencode-directory");
  if (header === undefined) return undefined;
  try {
    return decodeURIComponent(header);
  } catch (cause) {
    throw new AppError({
      code: "invalid_request",
      message: "The request was not taken: x-opencode-directory: not encoded as addresses are.",
      hint: "Encode the directory as `encodeURIComponent` does.",
      cause,
    });
  }
}
