/** docs/tools.md as it follows from the tools: their descriptions, and what they take and give. */
import { z } from "zod";
import { listedTools } from "../../src/transports/mcp/listed-tools.ts";
import { mailSchema } from "../../src/transports/mcp/tools/mail.ts";
import { memberSchema, teamSchema } from "../../src/transports/mcp/tools/teams.ts";

/** What is read of a JSON schema here. */
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

const head = `# Tools of agents

<!-- Made from src/transports/mcp/tools by \`npm run tools-document\`: change those instead. -->

What an agent can call over the Model Context Protocol (MCP). Who calls is said by the token of the connection: one for each
member, good for these tools only; the token of the API is not good for them. Nothing in the arguments changes it.

| way | for |
|---|---|
| \`/mcp\` of the daemon | streamable HTTP, with \`Authorization: Bearer TOKEN\`. No sessions: a client goes on after a restart of the daemon. |
| \`waybill mcp --token-file PATH\` | stdio, for agents that somebody else runs ([command-line.md](command-line.md#waybill-mcp)). It waits for a daemon that restarts. |

Both speak the protocol revisions up to 2025-11-25 (\`initialize\`) and 2026-07-28 (\`server/discover\`).

- A result has structured content, listed below, and a text for the model that says the same.
- What is refused is a result with \`isError\`, whose text says what is wrong and what to send instead. Unknown fields are
  refused by name. An unknown tool is an error of the protocol.
- A body may have 2 MiB. Texts in a result are shortened where they have more than 100,000 characters together, but for
  the first.
- An answer is one JSON body, never a stream: when the daemon dies in a call, the agent hears of it at once and calls again.
- \`message_wait\` is answered after 50 seconds at the latest, because most clients give up at 60.
`;

/** Shapes that several tools give, each described once. */
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

/** A row for each field, those of objects below it included. */
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
