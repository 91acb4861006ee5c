/** pi's program: its name, its error codes and where it comes from. */
import { fileURLToPath } from "node:url";
import type { AgentProgram } from "../../process-pool/find-agent.ts";

export const piProgram: AgentProgram = {
  name: "pi",
  code: "pi",
  setting: "piBin (PI_BIN)",
  command: "pi",
  testCopy: fileURLToPath(new URL("../../../../node_modules/.pi/node_modules/.bin/pi", import.meta.url)),
  installCommand: "npm install -g @mariozechner/pi-coding-agent",
};
