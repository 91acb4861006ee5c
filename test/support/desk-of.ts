/** The desk of a Waybill that a test runs, as transports see it. */

import { makeDesk } from "../../src/service/create-service.ts";
import type { Engine } from "../../src/service/engine.ts";
import type { Desk } from "../../src/service/service.ts";

export function deskOf(waybill: Engine): Desk {
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
