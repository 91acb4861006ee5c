import { expect, test } from "vitest";
import { ownTools } from "../../src/own-tools.ts";
import { toolNames } from "../../src/transports/mcp/tools/registry.ts";

test("the tools that agents are allowed are those that the MCP server has", () => {
  expect([...ownTools]).toEqual(toolNames);
});
