/** Where agents reach their tools over HTTP. */
export const mcpPath = "/mcp";
