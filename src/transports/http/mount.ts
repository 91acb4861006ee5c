/** Another API that the same server offers below a path of its own. It stands behind the same gates as the rest. */
import type { Context } from "hono";
import type { App } from "./env.ts";
import type { RouteDeps } from "./routes/route-deps.ts";

export type Mount = {
  basePath: string;
  /** `report` gets what is our fault and not the client's. */
  answerError: (c: Context, error: unknown, report: (error: unknown) => void) => Response;
  /** Where a client finds what there is. */
  notFoundHint: string;
  /** For clients that only know Basic: the token is also taken as a password. Null where it is not. */
  basicPasswordHint: string | null;
  add: (app: App, deps: RouteDeps) => void;
};

export function mountOf(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts.find(({ basePath }) => path === basePath || path.startsWith(`${basePath}/`));
}
