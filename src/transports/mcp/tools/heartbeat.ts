/** `runtime_heartbeat`: reports that the caller is still active. */
import { z } from "zod";
import { changes, defineTool } from "./tool.ts";

export const runtimeHeartbeat = defineTool({
  name: "runtime_heartbeat",
  title: "Send a heartbeat",
  description: "Reports that you are still working, so that you are not shown as idle or offline during long work.",
  annotations: changes({ repeatable: true }),
  input: z.strictObject({}),
  output: z.object({ noted: z.literal(true) }),
  async run(_, { agents, caller }) {
    await agents.heartbeat(caller);
    return { data: { noted: true as const }, text: "Noted." };
  },
});
