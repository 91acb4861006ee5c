import { expect, test } from "vitest";
import { ownTools } from "../../src/runtimes/descriptor.ts";
import { toolNames } from "../../src/transports/mcp/tools/registry.ts";

test("the tools that agents may use are exactly the MCP server's tools", () => {
  expect([...ownTools]).toEqual(toolNames);
});
