/** The service of a test's Waybill, as transports see it. */

import { runtimeDescriptors } from "../../../src/runtimes/registry.ts";
import { createService } from "../../../src/service/create-service.ts";
import type { Engine } from "../../../src/service/engine.ts";
import type { Service } from "../../../src/service/service.ts";

export function serviceOf(engine: Engine, now = Date.now): Service {
  return createService({
    engine,
    resolveDirectory: (path) => path,
    allowedDirectories: ["/tmp"],
    stateDirectories: [],
    runtimeDescriptors,
    defaults: { runtime: "opencode", model: null },
    restart: () => {},
    checkRestart: () => {},
    now,
    draining: new AbortController().signal,
    retriesAreOff: false,
  });
}
