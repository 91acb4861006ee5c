/** What a tool that needs a permission is to do, in one line: the command, the file, the address. Pure. */
import type { Json } from "./json-fields.ts";
import { asText } from "./json-fields.ts";

export function permissionTitle(tool: string, input: Json, request: Json): string {
  const what = ["command", "file_path", "path", "url", "query", "description"].map((name) => asText(input[name]));
  const detail = what.find((text) => text !== null) ?? asText(request.description);
  return detail ? `${tool}: ${detail}` : tool;
}
