/** An agent's message at its beginning, before anything is known of what it says and uses. */
import type { AssistantMessage } from "@opencode-ai/sdk/v2/types";
import type { Place } from "./emitted.ts";

type Begun = Pick<AssistantMessage, "id" | "sessionID" | "parentID"> & { created: number };

export function newAssistantMessage(place: Place, { id, sessionID, parentID, created }: Begun): AssistantMessage {
  const { directory, providerID, modelID, agent } = place;
  return {
    id,
    sessionID,
    role: "assistant",
    time: { created },
    parentID,
    modelID,
    providerID,
    mode: agent,
    agent,
    path: { cwd: directory, root: directory },
    cost: 0,
    tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
  };
}
