/** pi's program: what it is called, and where it comes from. */
import { fileURLToPath } from "node:url";
import type { AgentProgram } from "../../process-pool/find-agent.ts";

export const piProgram: AgentProgram = {
  name: "pi",
  code: "pi",
  setting: "piBin (PI_BIN)",
  usual: "pi",
  beside: fileURLToPath(new URL("../../../../node_modules/.pi/node_modules/.bin/pi", import.meta.url)),
  install: "npm install -g @mariozechner/pi-coding-agent",
};
