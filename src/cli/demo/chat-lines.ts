/** Formats the demo's chat as lines. Pure. */

import type { Paint } from "../output/terminal.ts";
import { printable } from "../output/terminal.ts";
import type { ChatChange } from "./chat-changes.ts";

export function chatLines(change: ChatChange, paint: Paint): string[] {
  switch (change.type) {
    case "message": {
      const { topic, text, isEdited, file, buttons } = change;
      const where = topic === null ? "" : ` [${printable(topic)}]`;
      const head = paint("cyan", `bot${where}${isEdited ? " (edited)" : ""}:`);
      const [first = "", ...rest] = printable(text).split("\n");
      const shown = buttons.map(({ number, text: label }) => paint("yellow", `[:${number} ${printable(label)}]`));
      return [
        `${head} ${first}`,
        ...rest.map((line) => `     ${line}`),
        ...(file === null ? [] : [`     file: ${printable(file)}`]),
        ...(shown.length === 0 ? [] : [`     ${shown.join(" ")}`]),
      ];
    }
    case "reaction":
      return change.emoji.length === 0 ? [] : [paint("dim", `bot reacts: ${change.emoji.join(" ")}`)];
    case "deleted":
      return [paint("dim", "bot deleted a message.")];
    default:
      return change satisfies never;
  }
}
