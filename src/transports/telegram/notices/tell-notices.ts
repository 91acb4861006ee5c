/** Retries following the log, so that a temporary store failure does not stop answers for good. */

import { backoffMs } from "../../../mail/outbox/backoff.ts";
import { sleep } from "../../../platform/clock.ts";
import type { NoticesDeps } from "./notices.ts";
import { followNotices, logCursorKey } from "./notices.ts";

export async function tellNotices(deps: NoticesDeps, signal: AbortSignal): Promise<void> {
  const { context, onError } = deps;
  let { after } = deps;
  for (let tries = 1; !signal.aborted; tries++) {
    try {
      // From the last stored cursor. Rows written since then are recognised by their keys.
      const known = tries === 1 ? after : (await context.box.state()).get(logCursorKey);
      if (typeof known === "string") after = known;
      return await followNotices({ ...deps, after }, signal);
    } catch (error) {
      if (signal.aborted) return;
      onError({ error });
      await sleep(context.clock, backoffMs(tries), signal);
    }
  }
}
