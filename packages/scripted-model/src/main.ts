/**
 * The scripted model as a process of its own. It prints its address as one line of JSON, and runs until SIGTERM or SIGINT.
 *
 *   main.js [--script FILE] [--port N] [--log FILE]
 *
 * Without a file, SCRIPTED_MODEL_SCRIPT holds the script itself.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { describeError, modelScriptSchema } from "./script.ts";
import type { ScriptedModelOptions } from "./server.ts";
import { startScriptedModel } from "./server.ts";

try {
  const model = await startScriptedModel(readOptions());
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void model.close());
  console.log(JSON.stringify({ url: model.url, port: model.port, pid: process.pid }));
} catch (error) {
  console.error(`The scripted model cannot start: ${describeError(error)}`);
  process.exitCode = 2;
}

function readOptions(): ScriptedModelOptions {
  const text = { type: "string" } as const;
  const { script, port = "0", log } = parseArgs({ options: { script: text, port: text, log: text } }).values;
  const json = script ? readFileSync(script, "utf8") : (process.env.SCRIPTED_MODEL_SCRIPT ?? "{}");
  return {
    script: modelScriptSchema.parse(JSON.parse(json)),
    port: z.coerce.number().int().min(0).max(65_535).parse(port),
    ...(log === undefined ? {} : { logPath: log }),
  };
}
