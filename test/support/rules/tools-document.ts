/** Generates docs/tools.md from the tools: their descriptions, arguments and results. */
import { z } from "zod";
import { listedTools } from "../../../src/transports/mcp/mcp-server.ts";
import { mailSchema } from "../../../src/transports/mcp/tools/mail.ts";
import { memberSchema, teamSchema } from "../../../src/transports/mcp/tools/members.ts";

/** The parts of a JSON schema that are used here. */
type Schema = {
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
};

type Tool = ReturnType<typeof listedTools>[number];

const head = `# The agents' tools

<!-- Generated from src/transports/mcp/tools by \`npm run tools-document\`: change the sources instead. -->

What an agent can call over the Model Context Protocol (MCP). The connection's token identifies the caller: each member has its own,
valid for these tools only. The API's token is not valid here, and no argument can change who the caller is.

| connection | details |
|---|---|
| \`/mcp\` of the daemon | streamable HTTP, with \`Authorization: Bearer TOKEN\`. No sessions: a client continues after a daemon restart. |
| \`waybill mcp --token-file PATH\` | stdio, for agents that Waybill does not run ([command-line.md](command-line.md#waybill-mcp)). It waits while the daemon restarts. |

Both speak the protocol revisions up to 2025-11-25 (\`initialize\`) and 2026-07-28 (\`server/discover\`).

- A result has structured content, listed below, and the same content as text for the model.
- A refused call returns a result with \`isError\`; its text says what is wrong and what to send instead. Unknown fields are
  refused by name. An unknown tool is a protocol error.
- A body may have up to 2 MiB. The texts in a result have at most about 100,000 characters in total: the first is always
  complete, and those that no longer fit are shortened to 500 characters.
- A response is one JSON body, never a stream: if the daemon dies during a call, the agent notices immediately and calls again.
- \`message_wait\` returns within 50 seconds, because most clients give up after 60.
`;

/** Shapes that several tools return, each described once. */
const shapes = Object.entries({ message: mailSchema, team: teamSchema, member: memberSchema }).map(
  ([name, schema]) => ({
    name,
    schema: z.toJSONSchema(schema, { io: "output" }) as Schema,
  }),
);

export function toolsDocument(): string {
  const shapeSections = shapes.map(({ name, schema }) => `### A ${name}\n\n${given(schema)}\n`);
  return [head, ...listedTools().map(section), "## Shapes\n", ...shapeSections].join("\n");
}

function given(schema: Schema): string {
  return table(["gives", "type", "meaning"], fieldRows(schema, "", false));
}

function shapeOf(schema: Schema): string | null {
  const fields = (one: Schema) => JSON.stringify([one.properties, one.required]);
  const shape = shapes.find((one) => schema.properties && fields(one.schema) === fields(schema));
  return shape ? `[${shape.name}](#a-${shape.name})` : null;
}

function section({ name, description = "", annotations = {}, inputSchema, outputSchema }: Tool): string {
  const { readOnlyHint, idempotentHint } = annotations;
  const effect = readOnlyHint
    ? "Changes nothing."
    : `Changes something${idempotentHint ? "; calling it again with the same arguments is safe" : ""}.`;
  const taken = fieldRows(inputSchema as Schema, "", true);
  return `## \`${name}\`

${description}

${effect}

${taken.length === 0 ? "It takes no arguments." : table(["takes", "type", "required", "meaning"], taken)}

${given((outputSchema ?? {}) as Schema)}
`;
}

function table(headings: string[], rows: string[][]): string {
  const lines = [headings, headings.map(() => "---"), ...rows].map((cells) => cells.join(" | "));
  return lines
    .map((line) => `| ${line} |`)
    .join("\n")
    .replace(/^\| (--- \| )*--- \|$/m, (rule) => rule.replaceAll(" ", ""));
}

/** A row for each field, including the fields of nested objects. */
function fieldRows({ properties = {}, required = [] }: Schema, prefix: string, taken: boolean): string[][] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${prefix}${name}`;
    const needed = required.includes(name) && schema.default === undefined ? "yes" : "no";
    const row = [`\`${path}\``, typeWords(schema), ...(taken ? [needed] : []), schema.description ?? ""];
    const inner = objectIn(schema);
    return [row, ...(inner ? fieldRows(inner.schema, `${path}${inner.isList ? "[]" : ""}.`, taken) : [])];
  });
}

function objectIn(schema: Schema): { schema: Schema; isList: boolean } | null {
  const present = schema.anyOf?.find(({ type }) => type !== "null") ?? schema;
  if (shapeOf(present.items ?? present) !== null) return null;
  if (present.properties) return { schema: present, isList: false };
  return present.items?.properties ? { schema: present.items, isList: true } : null;
}

function typeWords(schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map(typeWords).join(" or ");
  const limits = [
    schema.maxLength !== undefined && `at most ${schema.maxLength} characters`,
    schema.maxItems !== undefined && `at most ${schema.maxItems}`,
    schema.minimum !== undefined && schema.maximum !== undefined && `${schema.minimum} to ${schema.maximum}`,
    schema.default !== undefined && `default \`${schema.default}\``,
  ].filter(Boolean);
  return [kindWords(schema), ...limits].join(", ");
}

function kindWords(schema: Schema): string {
  const { type = "", enum: choices, const: only, items } = schema;
  if (choices) return choices.map((choice) => `\`${choice}\``).join(", ");
  if (only !== undefined) return `\`${only}\``;
  if (type === "array") return `list of ${items ? kindWords(items).replace(/^object$/, "objects") : "anything"}`;
  return shapeOf(schema) ?? [type].flat().join(" or ");
}
