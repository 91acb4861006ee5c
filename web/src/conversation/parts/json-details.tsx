import { exactText } from "../../ui/safe-text.ts";
import { Output } from "./output.tsx";

/** A readable value: text fields unchanged, everything else as JSON. */
export function JsonDetails({ label, value }: { label?: string; value: unknown }) {
  return <Output {...(label === undefined ? {} : { label })} text={exactText(readable(value))} isExact />;
}

function readable(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(value, null, 2) ?? "";
  return Object.entries(value)
    .map(([name, field]) => {
      const text = typeof field === "string" ? field : JSON.stringify(field, null, 2);
      return text?.includes("\n") ? `${name}:\n${text}` : `${name}: ${text}`;
    })
    .join("\n");
}
