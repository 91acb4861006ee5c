/**
 * Reads the detail of a permission. Some programs report the tool with its input, others a description, with a diff
 * if a file will change. Pure.
 */
export type DetailFields = Readonly<Record<string, unknown>>;

export type PermissionDetail = {
  tool: string | null;
  /** The tool's input; null if the program does not report it. */
  input: DetailFields | null;
  /** As the program reports it. */
  diff: string | null;
  /** The input, or else the whole detail. */
  fields: DetailFields;
};

export function readDetail(detail: unknown): PermissionDetail {
  const outer = objectOf(detail);
  const input = "input" in outer ? objectOf(outer.input) : null;
  const fields = input ?? outer;
  return { tool: textOf(outer.tool), input, diff: textOf(fields.diff), fields };
}

function objectOf(value: unknown): DetailFields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
