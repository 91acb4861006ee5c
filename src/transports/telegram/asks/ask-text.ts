/** The text that a chat shows for an ask. Pure. */
import type { Question } from "../../../core/turn/universal-event.ts";
import { fence } from "../text/fence.ts";
import { permissionDetail } from "./permission-detail.ts";

const maxTitle = 600;
const maxQuestion = 2000;
const maxDescription = 150;

export function permissionText(title: string, detail: unknown, directory: string): string {
  const parts = [
    "🔐 The agent asks for permission:",
    fence(shortened(title, maxTitle)),
    permissionDetail(title, detail),
    `In \`${shortened(directory, maxTitle).replaceAll("`", "'")}\``,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

export function questionText({ header, question, options }: Question, part: number, count: number): string {
  const number = count === 1 ? "" : ` (${part + 1} of ${count})`;
  const about = header === null || header === "" ? "" : `**${header}**\n`;
  const explained = options.filter(({ description }) => description !== null && description !== "");
  const lines = explained.map(
    ({ label, description }) => `- ${label}: ${shortened(description ?? "", maxDescription)}`,
  );
  const list = lines.length === 0 ? "" : `\n\n${shortened(lines.join("\n"), maxQuestion / 2)}`;
  return `❓ The agent asks${number}:\n\n${about}${shortened(question, maxQuestion)}${list}`;
}

function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
