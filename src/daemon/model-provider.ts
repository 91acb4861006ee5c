/** Which runtime a configuration names. The names are those that users of earlier tools know. */
import { AppError } from "../app-error.ts";
import type { Runtime } from "../runtimes/port.ts";
import type { StubOptions } from "../runtimes/stub/stub-runtime.ts";
import { StubRuntime } from "../runtimes/stub/stub-runtime.ts";

export type RuntimeSettings = { modelProvider: "stub" } & StubOptions;

const providers = ["stub"] as const;

export function makeRuntime(settings: RuntimeSettings): Runtime {
  const provider: string = settings.modelProvider;
  switch (provider) {
    case "stub":
      return new StubRuntime(settings);
    default:
      throw new AppError({
        code: "provider_unknown",
        message: `There is no model provider "${provider}".`,
        hint: `Known: ${providers.join(", ")}.`,
      });
  }
}
