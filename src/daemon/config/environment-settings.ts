/** What only the environment can say: where things are, and the kill switch. */
import { flag, path } from "./kinds.ts";
import type { Setting } from "./settings.ts";

export const watchdogSwitch = {
  kind: flag,
  env: "WAYBILL_WATCHDOG",
  default: true,
  meaning:
    "The kill switch: with `0` nothing that may have arrived is sent a second time by itself. Reads still need proof.",
  effect: "now",
} as const satisfies Setting<boolean>;

export const environmentSettings: readonly (Setting & { env: string })[] = [
  {
    kind: path,
    env: "WAYBILL_CONFIG",
    defaultWords: "`$XDG_CONFIG_HOME/waybill/config.json`, `~/.config/waybill/config.json`",
    meaning: "The configuration file. When it is named, it must exist.",
    effect: "now",
  },
  {
    kind: path,
    env: "WAYBILL_HOME",
    defaultWords: "`$XDG_STATE_HOME/waybill`, `~/.local/state/waybill`",
    meaning: "The state directory: store, token, and what the daemon says about itself.",
    effect: "now",
  },
  watchdogSwitch,
];
