/** The scripted model as a process of its own: says where it is in one line of JSON, and runs until it is asked to end. */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { ScriptInput } from "./script.ts";
import { startScriptedModel } from "./server.ts";

const { values } = parseArgs({
  options: {
    /** A file; without it the script itself is in SCRIPTED_MODEL_SCRIPT. */
    script: { type: "string" },
    port: { type: "string", default: process.env.SCRIPTED_MODEL_PORT ?? "0" },
    log: { type: "string" },
  },
});
const logPath = values.log ?? process.env.SCRIPTED_MODEL_LOG;
const script = values.script ? readFileSync(values.script, "utf8") : (process.env.SCRIPTED_MODEL_SCRIPT ?? "{}");

const model = await startScriptedModel({
  script: JSON.parse(script) as ScriptInput,
  port: Number(values.port),
  ...(logPath === undefined ? {} : { logPath }),
});
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void model.close());
console.log(JSON.stringify({ url: model.url, port: model.port, pid: process.pid }));
