/** The tools as clients list them, with JSON schemas that are generated once. */
import type { Tool as ListedTool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { tools } from "./tools/registry.ts";

let listed: ListedTool[] | null = null;

export function listedTools(): ListedTool[] {
  listed ??= tools.map(({ name, title, description, annotations, input, output }) => ({
    name,
    title,
    description,
    annotations,
    inputSchema: jsonSchema(input, "input"),
    outputSchema: jsonSchema(output, "output"),
  }));
  return listed;
}

function jsonSchema(schema: z.ZodObject, io: "input" | "output") {
  return z.toJSONSchema(schema, { io }) as ListedTool["inputSchema"];
}
