/**
 * The scripted model as a process of its own. It prints its address as one line of JSON, and runs until SIGTERM or SIGINT.
 *
 *   main.js [--script FILE] [--port N] [--log FILE]
 *
 * SCRIPTED_MODEL_SCRIPT (the script itself), SCRIPTED_MODEL_PORT and SCRIPTED_MODEL_LOG are used for options that are not given.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { describeError, modelScriptSchema } from "./script.ts";
import type { ScriptedModelOptions } from "./server.ts";
import { startScriptedModel } from "./server.ts";

try {
  const model = await startScriptedModel(optionsFrom(process.env));
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void model.close());
  console.log(JSON.stringify({ url: model.url, port: model.port, pid: process.pid }));
} catch (error) {
  console.error(`The scripted model cannot start: ${describeError(error)}`);
  process.exitCode = 2;
}

function optionsFrom(env: NodeJS.ProcessEnv): ScriptedModelOptions {
  const { values } = parseArgs({
    options: { script: { type: "string" }, port: { type: "string" }, log: { type: "string" } },
  });
  const script = values.script ? readFileSync(values.script, "utf8") : (env.SCRIPTED_MODEL_SCRIPT ?? "{}");
  const port = z.coerce.number().int().min(0).max(65_535);
  const logPath = values.log ?? env.SCRIPTED_MODEL_LOG;
  return {
    script: modelScriptSchema.parse(JSON.parse(script)),
    port: port.parse(values.port ?? env.SCRIPTED_MODEL_PORT ?? "0"),
    ...(logPath === undefined ? {} : { logPath }),
  };
}
