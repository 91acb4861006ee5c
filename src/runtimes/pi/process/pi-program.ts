/** pi's program: its name, its error codes and how to install it. */
import { packageFile } from "../../../platform/package-files.ts";
import type { AgentProgram } from "../../process-pool/find-agent.ts";

export const piProgram: AgentProgram = {
  name: "pi",
  code: "pi",
  setting: "piBin (PI_BIN)",
  command: "pi",
  testCopy: packageFile("node_modules/.pi/node_modules/.bin/pi"),
  installCommand: "npm install -g @mariozechner/pi-coding-agent",
};
