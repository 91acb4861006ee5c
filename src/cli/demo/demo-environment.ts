/** The environment of the demo's daemon. Nothing of a real configuration reaches it. */
import type { z } from "zod";
import { daemonSettings, environmentSettings } from "../../daemon/config/settings.ts";
import { metaOf } from "../../platform/setting-types.ts";

export type DemoBot = { token: string; apiRoot: string; user: number };

export function telegramDemoEnvironment(env: NodeJS.ProcessEnv, home: string, bot: DemoBot): NodeJS.ProcessEnv {
  const settings = Object.values<z.ZodType>({ ...daemonSettings, ...environmentSettings });
  const names = new Set(settings.map((schema) => metaOf(schema).env));
  const others = Object.entries(env).filter(([name]) => !names.has(name));
  return {
    ...Object.fromEntries(others),
    WAYBILL_DEMO: "1",
    WAYBILL_HOME: home,
    // Any free port, so that it can run alongside another daemon.
    PORT: "0",
    WAYBILL_DRAIN_MS: "1000",
    TELEGRAM_BOT_TOKEN: bot.token,
    TELEGRAM_API_ROOT: bot.apiRoot,
    TELEGRAM_ALLOWED_USERS: String(bot.user),
  };
}
