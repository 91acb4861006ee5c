import { expect, test } from "vitest";
import { keyVariable, piEnvironment } from "./environment.ts";

const rules = { policy: "safe" as const, denied: [], maxSteps: 5 };
const made = (env: NodeJS.ProcessEnv, apiKey: string | null = null) =>
  piEnvironment({ env, rules, provider: "google", apiKey });

test("pi gets its own variables and those of its providers, and none of Waybill's", () => {
  const env = {
    ...{
      PATH: "/bin",
      HOME: "/home/me",
      PI_CODING_AGENT_DIR: "/pi",
      OPENROUTER_API_KEY: "key",
      COPILOT_GITHUB_TOKEN: "t",
    },
    ...{
      PI_AGENT_API_KEY: "hush",
      PI_BIN: "/bin/pi",
      WAYBILL_HOME: "/state",
      TELEGRAM_BOT_TOKEN: "1:hush",
      OTHER: "x",
    },
  };
  expect(made(env)).toEqual({
    ...{
      PATH: "/bin",
      HOME: "/home/me",
      PI_CODING_AGENT_DIR: "/pi",
      OPENROUTER_API_KEY: "key",
      COPILOT_GITHUB_TOKEN: "t",
    },
    ...{ PI_OFFLINE: "1", PI_TELEMETRY: "0", WAYBILL_PI_RULES: JSON.stringify(rules) },
  });
});

test("the user's settings for pi's own network traffic take precedence", () => {
  expect(made({ PI_OFFLINE: "0" }).PI_OFFLINE).toBe("0");
});

test("a configured key is passed in the variable that pi reads for its provider", () => {
  expect(made({ GEMINI_API_KEY: "old" }, "new").GEMINI_API_KEY).toBe("new");
  expect(keyVariable("openrouter")).toBe("OPENROUTER_API_KEY");
  expect(keyVariable("minimax-cn")).toBe("MINIMAX_CN_API_KEY");
});
