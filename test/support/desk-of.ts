/** The desk of a Waybill that a test runs, as transports see it. */
import type { Waybill } from "../../src/daemon/compose.ts";
import { makeDesk } from "../../src/daemon/desk.ts";
import type { Desk } from "../../src/transports/port.ts";

export function deskOf(waybill: Waybill): Desk {
  return makeDesk({
    waybill,
    resolveDirectory: (path) => path,
    allowedDirectories: ["/tmp"],
    stateDirectories: [],
    defaults: { runtime: "opencode", model: null },
    restart: () => {},
    now: Date.now,
    draining: () => false,
    retriesAreOff: false,
  });
}
