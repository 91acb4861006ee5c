/** The program's built modules that benchmarks use. */
import { builtModule as from } from "./built-module.mjs";

export const { systemClock } = await from("platform/clock.js");
export const { defaultPolicy } = await from("core/delivery/policy.js");
export const { startEngine } = await from("daemon/wiring/start-engine.js");
export const { copyStore } = await from("store/sqlite/copy-store.js");
export const { openSqliteStore } = await from("store/sqlite/sqlite-store.js");
export const { TurnTracker } = await from("core/turn/turn-tracker.js");
export const { universalEventTypes } = await from("core/turn/universal-event.js");

export const opencodeModules = async () => ({
  ...(await from("runtimes/opencode/descriptor.js")),
  ...(await from("runtimes/opencode/runtime.js")),
  ...(await from("runtimes/opencode/server/server-supervisor.js")),
  ...(await from("runtimes/opencode/translate/translate.js")),
});

export const claudeModules = async () => ({
  ...(await from("runtimes/claude/descriptor.js")),
  ...(await from("runtimes/claude/runtime.js")),
  ...(await from("runtimes/claude/translate/translate.js")),
});

export const scriptedModelModules = async () => ({
  ...(await from("packages/scripted-model.js")),
});

/** The HTTP API on a running engine. */
export const serviceModules = async () => ({
  ...(await from("service/create-service.js")),
  ...(await from("transports/http/app.js")),
  ...(await from("transports/http/serve.js")),
});
