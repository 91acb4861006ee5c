/** The path of the agents' tools over HTTP. */
export const mcpPath = "/mcp";
