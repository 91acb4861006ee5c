/** What other programs use of the scripted model. */
export { type ModelCall, readCalls } from "./call-log.ts";
export { isolatedHome, scriptedProvider } from "./opencode-settings.ts";
export type { ModelScriptInput } from "./script.ts";
export { type ScriptedModel, startScriptedModel } from "./server.ts";
