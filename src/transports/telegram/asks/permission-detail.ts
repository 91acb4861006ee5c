/** What a tool wants to do, as far as the agent program reports it: the command, the diff, or the input. Pure. */
import { readDetail } from "../../../core/turn/permission-detail.ts";
import { diffFence, fence } from "../text/fence.ts";

/** Keeps the ask in one message, even on servers that accept only 4,096 characters. */
const maxDetail = 2500;

/** Empty when the title already contains everything. */
export function permissionDetail(title: string, detail: unknown): string {
  const { fields, diff } = readDetail(detail);
  const change = diff ?? replacement(fields);
  if (change !== null) return diffFence(bounded(change));
  const command = textOf(fields.command);
  if (command !== null) return title.includes(command) ? "" : fence(bounded(command), "sh");
  const content = textOf(fields.content);
  if (content !== null) return fence(bounded(content));
  const unsaid = Object.entries(fields).filter(([, value]) => !title.includes(String(value)));
  return unsaid.length === 0 ? "" : fence(bounded(JSON.stringify(Object.fromEntries(unsaid), null, 2)), "json");
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function replacement({ old_string: before, new_string: after }: Readonly<Record<string, unknown>>): string | null {
  if (typeof before !== "string" || typeof after !== "string") return null;
  const lines = (text: string, mark: string) => (text === "" ? [] : text.split("\n").map((line) => `${mark}${line}`));
  return [...lines(before, "-"), ...lines(after, "+")].join("\n");
}

function bounded(text: string): string {
  if (text.length <= maxDetail) return text;
  const end = text.slice(0, maxDetail).replace(/[\uD800-\uDBFF]$/, "");
  return `${end}\n… (${text.length - end.length} more characters)`;
}
